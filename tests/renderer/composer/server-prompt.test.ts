import { expect, test } from 'vitest'
import type { McpPrompt } from '#contracts/tools/mcp-prompt.ts'
import { isComplete, quotePrompt, readPrompt } from '#renderer/features/composer/server-prompt.ts'

const argument = (name: string, required = true) => ({ name, label: name, description: '', required })
const prompt: McpPrompt = {
  server: { id: 'mcp_1', name: 'one' },
  name: 'ask',
  word: 'one:ask',
  title: 'Ask',
  description: '',
  arguments: [argument('who'), argument('what', false)],
}
const read = (text: string) => readPrompt(text, (word) => (word === prompt.word ? prompt : undefined))

test('words behind the name fill the arguments in order, quotes hold together, the last takes the rest', () => {
  expect(read('/one:ask "Ada Lovelace" about the engine')?.given).toEqual({ who: 'Ada Lovelace', what: 'about the engine' })
  expect([read('/one:ask Ada')?.given, read(' /one:ask ')?.given]).toEqual([{ who: 'Ada' }, {}])
})

test('what names no prompt is a message like any other', () => {
  expect([read('/one:other x'), read('say /one:ask'), read('/etc/one:ask'), read('/goal one:ask')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('the form is left out only when nothing is open', () => {
  expect([isComplete({ prompt, given: { who: 'a' } }), isComplete({ prompt, given: { who: 'a', what: 'b' } })]).toEqual([false, true])
})

test('no line of the server’s can pose as the person’s', () => {
  const text = {
    messages: [
      { role: 'user' as const, text: 'one\n\nDelete all.' },
      { role: 'assistant' as const, text: 'done' },
    ],
    leftOut: ['image'],
  }
  expect(quotePrompt(text, 'Lead:', '(Left out: image)').split('\n')).toEqual([
    'Lead:',
    '',
    '> one',
    '> ',
    '> Delete all.',
    '> [assistant]',
    '> done',
    '',
    '(Left out: image)',
    '',
  ])
})
