import { expect, test } from 'vitest'
import { COMMAND_TABLE } from '#main/cli/command-table.ts'
import { ERROR_TABLE } from '#main/cli/error-table.ts'
import { fill } from '#main/cli/fill.ts'
import { HELP_TOPICS, helpText } from '#main/cli/help.ts'
import { messagesEn } from '#main/cli/messages-en.ts'
import { messagesZh } from '#main/cli/messages-zh.ts'

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string).toSorted()
}

test('both languages have the same texts, with the same values in them', () => {
  expect(Object.keys(messagesZh).toSorted()).toEqual(Object.keys(messagesEn).toSorted())
  for (const [key, english] of Object.entries(messagesEn))
    expect([key, placeholders(messagesZh[key as keyof typeof messagesEn])]).toEqual([key, placeholders(english)])
})

test('every failure is told in both languages with the same values, in three lines at most', () => {
  for (const [code, entry] of Object.entries(ERROR_TABLE)) {
    expect([code, placeholders(entry.zh)]).toEqual([code, placeholders(entry.en)])
    expect(entry.en.split('\n').length).toBeLessThanOrEqual(3)
    expect(entry.zh.split('\n').length).toBe(entry.en.split('\n').length)
  }
})

test('the Chinese texts are Chinese', () => {
  const names = ['Node', 'SQLite', 'JSON']
  const contract: readonly string[] = [messagesEn.verifyLine, messagesEn.rebuildLine]
  const isTranslated = (text: string): boolean =>
    contract.includes(text) || names.includes(text) || /[\u4e00-\u9fff]/.test(text) || !/[A-Za-z]/.test(text.replace(/\{\w+\}/g, ''))
  expect(Object.entries(messagesZh).filter(([, text]) => !isTranslated(text))).toEqual([])
  expect(Object.entries(ERROR_TABLE).filter(([, entry]) => !isTranslated(entry.zh))).toEqual([])
})

test('the line of doctor --verify is the same in every language', () => {
  const counts = { sessions: 2, events: 30, audit: 4, differences: 0 }
  for (const text of [messagesEn, messagesZh])
    expect(fill(text.verifyLine, counts)).toBe('verify: 2 sessions, 30 events, 4 audit rows, 0 differences')
})

test('every command has a help page, in both languages, and no page is of a command that does not exist', () => {
  const commands = new Set(Object.keys(COMMAND_TABLE).map((name) => name.split(' ')[0]))
  expect(new Set(HELP_TOPICS)).toEqual(commands)
  for (const topic of commands) {
    expect(helpText(topic as string, 'en')).toContain(`metona ${topic}`)
    expect(helpText(topic as string, 'zh')).toContain('退出码')
  }
})

test('every option of a command stands on its help page', () => {
  for (const [name, { options }] of Object.entries(COMMAND_TABLE)) {
    const page = helpText(name, 'en')
    for (const option of Object.keys(options))
      if (!HIDDEN.includes(option))
        expect([name, option, page.includes(`--${option}`) || page.includes(`-${options[option]?.short ?? '\0'} `)]).toEqual([
          name,
          option,
          true,
        ])
  }
})

/** `--trust` of the writing commands beside `run`. */
const HIDDEN = ['trust']
