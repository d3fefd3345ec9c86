/** A service whose handlers do what services do and what they must not do. Served in this thread and in a real one. */
import * as z from 'zod'
import { AppError } from '#contracts/wire/app-error.ts'
import { defineService, type ServiceHandlers } from '#contracts/wire/define-service.ts'
import type { Port } from '#contracts/wire/port.ts'

const nothing = z.object({})

export const probeService = defineService({
  name: 'probe',
  methods: {
    double: { input: z.object({ value: z.number() }), output: z.object({ value: z.number() }), deadlineMs: 60_000 },
    anything: { input: z.unknown(), output: z.unknown(), deadlineMs: 60_000 },
    /** Fails as the input says. */
    fail: {
      input: z.object({ how: z.enum(['app_error', 'system_error', 'plain_error', 'plain_data', 'text', 'uncloneable_details']) }),
      output: nothing,
      deadlineMs: 60_000,
    },
    /** Answers only once it is cancelled, with what it has until then. */
    untilCancelled: { input: nothing, output: z.object({ had: z.string() }), deadlineMs: Infinity },
    /** Never answers; counted in `state`. */
    hang: { input: nothing, output: nothing, deadlineMs: Infinity },
    /** Never answers and has a deadline of its own. */
    late: { input: nothing, output: nothing, deadlineMs: 150 },
    state: { input: nothing, output: z.object({ started: z.number(), aborted: z.array(z.string()) }), deadlineMs: 60_000 },
    /** Answers against its own schema. */
    wrongOutput: { input: nothing, output: z.object({ value: z.number() }), deadlineMs: 60_000 },
    uncloneableOutput: { input: nothing, output: z.unknown(), deadlineMs: 60_000 },
    /** Says `text` back on the port it was given. */
    speakOn: { input: z.object({ text: z.string(), port: z.custom<Port>() }), output: nothing, deadlineMs: 60_000, transfer: ['port'] },
  },
})

export function probeHandlers(): ServiceHandlers<typeof probeService> {
  let started = 0
  const aborted: string[] = []
  const never = <T>(signal: { addEventListener(type: 'abort', listener: () => void): void; readonly reason?: unknown }): Promise<T> => {
    started++
    signal.addEventListener('abort', () => aborted.push(signal.reason instanceof AppError ? signal.reason.code : String(signal.reason)))
    return new Promise<T>(() => {})
  }
  return {
    double: ({ value }) => ({ value: value * 2 }),
    anything: (value) => value,
    fail: ({ how }) => {
      switch (how) {
        case 'app_error':
          throw new AppError({
            code: 'WORKSPACE_IN_USE',
            message: 'held',
            retryable: true,
            params: { pid: 12, path: '/a b/中文' },
            details: { since: [1, 2] },
          })
        case 'system_error':
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        case 'plain_error':
          throw new Error('plain')
        case 'plain_data':
          return Promise.reject({ code: 'NOT_AVAILABLE', message: 'not here' })
        case 'text':
          return Promise.reject('only text')
        case 'uncloneable_details':
          throw new AppError({ code: 'DISK_FULL', message: 'full', details: { retry: () => {} } })
      }
    },
    untilCancelled: (_input, { signal }) =>
      new Promise((resolve) => {
        started++
        signal.addEventListener('abort', () => resolve({ had: 'three lines' }))
      }),
    hang: (_input, { signal }) => never(signal),
    late: (_input, { signal }) => never(signal),
    state: () => ({ started, aborted }),
    wrongOutput: () => ({ value: 'text' as unknown as number }),
    uncloneableOutput: () => () => 'a function',
    speakOn: ({ text, port }) => {
      port.postMessage(text)
      return {}
    },
  }
}
