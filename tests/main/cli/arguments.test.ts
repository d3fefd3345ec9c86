import { describe, expect, test } from 'vitest'
import { nearest, parseArguments, UsageError, type OptionTable } from '#main/cli/arguments.ts'

const TABLE = {
  workspace: { kind: 'text', short: 'w' },
  json: { kind: 'flag' },
  timeout: { kind: 'seconds' },
  port: { kind: 'port' },
  count: { kind: 'integer' },
  mode: { kind: ['plan', 'ask'] },
} as const satisfies OptionTable

function parse(...argv: string[]): unknown {
  try {
    const { flags, values, numbers, words } = parseArguments(argv, TABLE)
    return { flags: [...flags], values, numbers, words }
  } catch (error) {
    if (error instanceof UsageError) return { code: error.code, ...error.params }
    throw error
  }
}

describe('what is accepted', () => {
  test.each<[string[], unknown]>([
    [[], { flags: [], values: {}, numbers: {}, words: [] }],
    [['--workspace', 'a b'], { flags: [], values: { workspace: 'a b' }, numbers: {}, words: [] }],
    [['--workspace=a=b'], { flags: [], values: { workspace: 'a=b' }, numbers: {}, words: [] }],
    [['-w', 'dir'], { flags: [], values: { workspace: 'dir' }, numbers: {}, words: [] }],
    [['-wdir'], { flags: [], values: { workspace: 'dir' }, numbers: {}, words: [] }],
    [['-w=dir'], { flags: [], values: { workspace: 'dir' }, numbers: {}, words: [] }],
    [['-w', '-'], { flags: [], values: { workspace: '-' }, numbers: {}, words: [] }],
    [['fix', '--json', 'it'], { flags: ['json'], values: {}, numbers: {}, words: ['fix', 'it'] }],
    [['-'], { flags: [], values: {}, numbers: {}, words: ['-'] }],
    [['--', '--json', '-x'], { flags: [], values: {}, numbers: {}, words: ['--json', '-x'] }],
    [['--timeout', '1.5', '--port=0'], { flags: [], values: { timeout: '1.5', port: '0' }, numbers: { timeout: 1.5, port: 0 }, words: [] }],
    [['--mode', 'plan'], { flags: [], values: { mode: 'plan' }, numbers: {}, words: [] }],
    [['', '読む'], { flags: [], values: {}, numbers: {}, words: ['', '読む'] }],
  ])('%j', (argv, expected) => {
    expect(parse(...argv)).toEqual(expected)
  })
})

describe('what is refused', () => {
  test.each<[string[], Record<string, string>]>([
    [['--jsno'], { code: 'UNKNOWN_OPTION', option: '--jsno', known: 'json' }],
    [['--jso=1'], { code: 'UNKNOWN_OPTION', option: '--jso', known: 'json' }],
    [['-x'], { code: 'UNKNOWN_OPTION', option: '-x', known: '' }],
    [['--constructor'], { code: 'UNKNOWN_OPTION', option: '--constructor', known: '' }],
    [['--json=yes'], { code: 'NO_VALUE_TAKEN', option: '--json' }],
    [['--workspace'], { code: 'VALUE_MISSING', option: '--workspace' }],
    [['-w', 'a', '--workspace', 'b'], { code: 'GIVEN_TWICE', option: '--workspace' }],
    [['--mode', 'full'], { code: 'BAD_CHOICE', option: '--mode', value: 'full', choices: 'plan, ask' }],
    [['--count', '1.5'], { code: 'NOT_AN_INTEGER', option: '--count', value: '1.5' }],
    [['--count', '1e3'], { code: 'NOT_AN_INTEGER', option: '--count', value: '1e3' }],
    [['--count', ''], { code: 'NOT_AN_INTEGER', option: '--count', value: '' }],
    [['--port', '99999'], { code: 'NOT_A_PORT', option: '--port', value: '99999' }],
    [['--port', 'http'], { code: 'NOT_A_PORT', option: '--port', value: 'http' }],
    [['--timeout', '0'], { code: 'NOT_SECONDS', option: '--timeout', value: '0' }],
    [['--timeout', '-5'], { code: 'NOT_SECONDS', option: '--timeout', value: '-5' }],
    [['--timeout', 'soon'], { code: 'NOT_SECONDS', option: '--timeout', value: 'soon' }],
  ])('%j', (argv, expected) => {
    expect(parse(...argv)).toEqual(expected)
  })
})

test('a suggestion is at most two edits away and never for one letter', () => {
  expect([nearest('sesions', ['sessions', 'serve']), nearest('r', ['run']), nearest('xyz', ['run'])]).toEqual(['sessions', '', ''])
})
