/** What one tool turn adds to the request, against a loop that only appends the messages. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { HistoryMaker } from './make-history.ts'
import { makeWorkspace, SessionDriver } from './session-driver.ts'

let workspace: string
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ path: workspace, remove } = await makeWorkspace({ 'AGENTS.md': 'Be brief.' }))
})
afterAll(() => remove())

/** Bytes on the chat wire. */
function wireBytes(messages: readonly MetonaMessage[]): number {
  return Buffer.byteLength(
    JSON.stringify(
      messages.map((message) =>
        message.toolResult === undefined
          ? {
              role: message.role,
              content: message.content,
              tool_calls: message.toolCalls?.map((call) => ({
                id: call.id,
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(call.args) },
              })),
            }
          : { role: 'tool', tool_call_id: message.toolResult.toolCallId, content: message.toolResult.summary ?? message.toolResult.result },
      ),
    ),
  )
}

test('30 tool turns grow the request no more than 1.2 times a bare loop', async () => {
  const maker = new HistoryMaker(41)
  const driver = new SessionDriver({ workspace })
  maker.user('go')
  const first = await driver.mustBuild(maker.messages)
  const start = { ours: wireBytes(first.request.messages), bare: wireBytes(maker.messages) }
  let last = first
  for (let turn = 0; turn < 30; turn++) {
    maker.toolStep([400])
    last = await driver.mustBuild(maker.messages)
  }
  expect((wireBytes(last.request.messages) - start.ours) / (wireBytes(maker.messages) - start.bare)).toBeLessThanOrEqual(1.2)
})
