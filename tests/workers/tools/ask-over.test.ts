/** Questions over a real port of a call. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Port } from '#contracts/wire/port.ts'
import { askOver } from '#workers/tools/ask-over.ts'

test('after the end of a call nobody waits: neither who was asked, nor who was in the queue, nor who comes late', async () => {
  const { port1, port2 } = new MessageChannel()
  const questions = askOver(port1 as unknown as Port)
  const waiting = [questions.ask({ text: 'one' }), questions.ask({ text: 'two' })]
  port2.start()
  await once(port2, 'message')
  questions.close()
  expect(await Promise.all([...waiting, questions.ask({ text: 'late' })])).toEqual([undefined, undefined, undefined])
  port1.close()
})

test('a question that is withdrawn is taken back on the port, and the next one is put', async () => {
  const { port1, port2 } = new MessageChannel()
  const seen: unknown[] = []
  port2.on('message', (message) => seen.push(message))
  const questions = askOver(port1 as unknown as Port)
  const [gaveUp, late] = [new AbortController(), new AbortController()]
  const first = questions.ask({ text: 'one' }, gaveUp.signal)
  const second = questions.ask({ text: 'two' }, late.signal)
  const third = questions.ask({ text: 'three' })
  await expect.poll(() => seen.length).toBe(1)
  // Withdrawn in the queue, it is never put.
  late.abort()
  gaveUp.abort()
  await expect.poll(() => seen.length).toBe(3)
  expect(seen).toEqual([{ question: { id: 1, text: 'one' } }, { withdrawn: { id: 1 } }, { question: { id: 2, text: 'three' } }])
  port2.postMessage({ answer: { id: 1, text: 'too late' } })
  port2.postMessage({ answer: { id: 2, text: 'yes' } })
  expect(await Promise.all([first, second, third])).toEqual([undefined, undefined, 'yes'])
  port1.close()
})
