import { expect, test } from 'vitest'
import { findTrigger } from '#renderer/features/composer/find-trigger.ts'
import { holdBackSlips, parseCommand } from '#renderer/features/composer/slash-commands.ts'

const at = (marked: string): ReturnType<typeof findTrigger> => findTrigger(marked.replace('|', ''), marked.indexOf('|'))

test('a command is looked for only at the very beginning', () => {
  expect(at('/co|')).toEqual({ kind: 'command', query: 'co', from: 0, to: 3 })
  expect([at('say /co|'), at('/etc/hosts|'), at('/compact keep |')]).toEqual([undefined, undefined, undefined])
})

test('a file is looked for behind an @ that begins a word', () => {
  expect(at('see @src/ma| now')).toEqual({ kind: 'file', query: 'src/ma', from: 4, to: 11 })
  expect(at('看（@读|')).toEqual({ kind: 'file', query: '读', from: 2, to: 4 })
  expect([at('me@example.org|'), at('@done |')]).toEqual([undefined, undefined])
})

test('a whole message that is a command is one; anything else that begins with a slash is a message', () => {
  expect(parseCommand('/goal ship it', true)).toEqual({ name: 'goal', argument: 'ship it' })
  expect(parseCommand(' /undo ', true)).toEqual({ name: 'undo', argument: '' })
  expect([parseCommand('/etc/hosts is odd', true), parseCommand('/undo the last thing', true), parseCommand('/goal x', false)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(parseCommand('/model demo/scripted', false)).toEqual({ name: 'model', argument: 'demo/scripted' })
})

test('what begins like a command and is none is held back once, in each place', () => {
  const slipOf = holdBackSlips()
  expect(slipOf('s_1', '/modle fast')).toBe('/modle')
  expect(slipOf('s_2', '/modle fast')).toBe('/modle')
  expect(slipOf('s_2', '/modle fast')).toBeUndefined()
  expect(slipOf('s_2', '/modle fast')).toBe('/modle')
  expect(slipOf('s_2', '/undo the last thing')).toBe('/undo')
  expect(['/etc/hosts is odd', '/ is the root', 'say /undo', '/2 of them', '//comment'].map((text) => slipOf('s_1', text))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
