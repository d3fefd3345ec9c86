import { expect, test } from 'vitest'
import { findCommand } from '#main/cli/command-table.ts'

test.each([
  [['run', 'hi'], 'run', ['hi']],
  [['--lang', 'zh', 'run', '-w', '/w', 'hi'], 'run', ['--lang', 'zh', '-w', '/w', 'hi']],
  [['-w', '/w', '--json', 'sessions', 'list'], 'sessions list', ['-w', '/w', '--json']],
  [['--lang=en', 'doctor'], 'doctor', ['--lang=en']],
])('%j is the command %s', (argv, name, rest) => {
  const found = findCommand(argv)
  expect([found?.name, found?.rest]).toEqual([name, rest])
})

test.each([[['--lang']], [['-w', 'run']], [[]], [['--verbose', 'run']]])('%j is no command', (argv) => {
  expect(findCommand(argv)).toBeUndefined()
})
