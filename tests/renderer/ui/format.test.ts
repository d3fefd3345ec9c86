import { controlOf } from '#renderer/features/settings/control-of.ts'
import { summariseArguments } from '#renderer/features/transcript/summarise-arguments.ts'
import { toolView } from '#renderer/features/transcript/tool-view.ts'
import { baseName, clock, compact, duration, moment, money, parentPath, shortPath, tildePath } from '#renderer/ui/format.ts'
import { resolveTheme } from '#renderer/app/use-appearance.ts'
import { viewportOf } from '#renderer/app/use-viewport.ts'
import { resolveLocale } from '#renderer/locales/i18n.ts'
import { configKeys } from '#contracts/workspace/config-keys.ts'
import * as z from 'zod'
import { expect, test } from 'vitest'

test('clocks tick in minutes and seconds, then hours', () => {
  expect([0, 999, 61_000, 754_000, 3_723_000, -5].map(clock)).toEqual(['0:00', '0:00', '1:01', '12:34', '1:02:03', '0:00'])
})

test('times that are over have the unit that fits', () => {
  expect([4, 913.4, 12_400, 125_000].map((value) => duration(value, 'en'))).toEqual([
    { unit: 'milliseconds', value: '4' },
    { unit: 'milliseconds', value: '913' },
    { unit: 'seconds', value: '12.4' },
    { unit: 'clock', value: '2:05' },
  ])
})

test('a moment is a time today, then yesterday, the weekday, the date', () => {
  const now = new Date(2026, 9, 15, 10, 31).getTime()
  const at = (daysAgo: number): string => new Date(2026, 9, 15 - daysAgo, 9, 5).toISOString()
  expect([0, 1, 3, 40].map((days) => moment(at(days), 'en', now))).toEqual([
    { kind: 'text', value: '09:05' },
    { kind: 'yesterday' },
    { kind: 'text', value: 'Mon' },
    { kind: 'text', value: 'Sep 5' },
  ])
  expect(moment('never', 'en', now)).toEqual({ kind: 'text', value: '' })
})

test('token counts are short the same way everywhere', () => {
  expect([7, 999, 1000, 41_236, 128_000, 1_200_000].map(compact)).toEqual(['7', '999', '1k', '41.2k', '128k', '1.2M'])
})

test('small amounts of money keep the digits that matter', () => {
  expect([money(0.84, 'CNY', 'zh-CN'), money(0.0012, 'USD', 'en'), money(0, 'USD', 'en'), money(3, 'nonsense', 'en')]).toEqual([
    '¥0.84',
    '$0.0012',
    '$0.00',
    '3.00 nonsense',
  ])
})

test('paths: the name, the home folder, and the middle cut out', () => {
  expect(['/home/ada/x', '/', 'C:\\Users\\ada\\docs', '/home/ada/x/'].map(baseName)).toEqual(['x', '/', 'docs', 'x'])
  expect(['/home/ada/projects/x', '/Users/ada', 'C:\\Users\\ada\\x', '/homework/x'].map(tildePath)).toEqual([
    '~/projects/x',
    '~',
    '~\\x',
    '/homework/x',
  ])
  expect(['/home/ada/x', '/x', 'C:\\Users\\ada', '/a/b/'].map(parentPath)).toEqual(['/home/ada', '/x', 'C:\\Users', '/a'])
  expect(shortPath('/a/very/long/path/to/some/folder', 20)).toBe('/a/very…/some/folder')
})

test.each([
  [{ command: 'ls -l\nsecond line' }, 'ls -l'],
  [{ pattern: 'settle(', path: 'src' }, 'settle( · src'],
  [{ file_path: 'a.ts', old_text: 'x' }, 'a.ts'],
  [{ count: 3, note: 'hello' }, 'hello'],
  [{}, ''],
])('a call with %j is about %j', (args, summary) => {
  expect(summariseArguments(args)).toBe(summary)
})

test('a display of a known kind is shown as such, anything else generically', () => {
  expect([
    toolView({ kind: 'diff', path: 'a', diff: '@@ -1 +1 @@' }),
    toolView({ kind: 'terminal', text: 'x', exitCode: 1, more: true }),
    toolView({ kind: 'terminal' }),
    toolView(undefined),
  ]).toEqual([
    { kind: 'diff', path: 'a', diff: '@@ -1 +1 @@' },
    { kind: 'terminal', text: 'x', exitCode: 1 },
    { kind: 'generic' },
    { kind: 'generic' },
  ])
})

test('every setting of the table gets a control that fits its schema', () => {
  const kinds = Object.fromEntries(
    Object.entries(configKeys).map(([key, entry]) => [
      key,
      controlOf(z.toJSONSchema(entry.schema, { unrepresentable: 'any' }) as Record<string, unknown>, entry.defaultValue).kind,
    ]),
  )
  expect(kinds).toMatchObject({
    'llm.model': 'text',
    'llm.thinking': 'switch',
    'llm.maxTokens': 'number',
    'agent.maxIterations': 'number',
    'security.permission': 'choice',
    'ui.theme': 'choice',
    'ui.fontPercent': 'number',
  })
})

test('system follows the machine; a choice wins over it', () => {
  expect([
    resolveTheme('system', false, false),
    resolveTheme('system', true, false),
    resolveTheme('system', false, true),
    resolveTheme('light', true, true),
    resolveTheme(undefined, true, false),
  ]).toEqual(['light', 'dark', 'hc', 'light', 'dark'])
  expect([
    resolveLocale('system', ['zh-Hant-TW', 'en']),
    resolveLocale('system', ['de', 'zh']),
    resolveLocale('en', ['zh']),
    resolveLocale(undefined, []),
  ]).toEqual(['zh-CN', 'en', 'en', 'en'])
})

test('the widths of the layout table', () => {
  expect([390, 599, 600, 959, 960, 1199, 1200].map(viewportOf)).toEqual(['phone', 'phone', 'rail', 'rail', 'drawer', 'drawer', 'wide'])
})
