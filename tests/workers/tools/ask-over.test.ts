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
