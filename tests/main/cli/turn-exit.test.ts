import { expect, test } from 'vitest'
import type { MetonaErrorCode } from '#contracts/metona/metona-response.ts'
import type { EndReason } from '#contracts/session/session-enums.ts'
import { messagesEn } from '#main/cli/messages-en.ts'
import { judgeTurn } from '#main/cli/turn-exit.ts'

const speech = { language: 'en', text: messagesEn } as const

function exitOf(
  reason: EndReason | undefined,
  options: { code?: MetonaErrorCode; providerCode?: string; denied?: number; strict?: boolean } = {},
): number {
  const error =
    options.code === undefined
      ? {}
      : {
          error: {
            code: options.code,
            message: 'm',
            retryable: false,
            provider: 'deepseek',
            ...(options.providerCode === undefined ? {} : { providerCode: options.providerCode }),
          },
        }
  const end =
    reason === undefined
      ? undefined
      : ({ seq: 1, ts: '', event: 'turn_end', sessionId: 's', eventId: 'e', reason, iterations: 1, durationMs: 1, ...error } as const)
  return judgeTurn({ sessionId: 's', end, denied: options.denied ?? 0, usage: undefined }, options.strict ?? false, speech).exit
}

test.each<[string, number, number]>([
  ['completed', exitOf('completed'), 0],
  ['completed with denials', exitOf('completed', { denied: 2 }), 0],
  ['completed with denials, strict', exitOf('completed', { denied: 1, strict: true }), 4],
  ['completed, strict', exitOf('completed', { strict: true }), 0],
  ['aborted', exitOf('aborted'), 130],
  ['aborted with denials, strict', exitOf('aborted', { denied: 1, strict: true }), 130],
  ['stopped before it began', exitOf(undefined), 130],
  ['interrupted', exitOf('interrupted'), 1],
  ['limit: iterations', exitOf('limit_reached', { code: 'max_iterations' }), 5],
  ['limit: time', exitOf('limit_reached', { code: 'timeout' }), 5],
  ['limit without an error', exitOf('limit_reached'), 5],
  ['failed without an error', exitOf('failed'), 1],
  ['key refused', exitOf('failed', { code: 'auth_invalid' }), 3],
  ['no key', exitOf('failed', { code: 'auth_invalid', providerCode: 'NO_KEY' }), 3],
  ['key with a space', exitOf('failed', { code: 'auth_invalid', providerCode: 'KEY_MALFORMED' }), 3],
  ['unknown model', exitOf('failed', { code: 'model_not_found' }), 3],
  ['rate limited', exitOf('failed', { code: 'rate_limited', providerCode: '429' }), 1],
  ['a page instead of the API', exitOf('failed', { code: 'invalid_response' }), 1],
  ['a provider that was too slow', exitOf('failed', { code: 'timeout' }), 1],
  ['a worker that died', exitOf('failed', { code: 'unknown', providerCode: 'WORKER_LOST' }), 1],
])('%s', (_name, actual, expected) => {
  expect(actual).toBe(expected)
})
