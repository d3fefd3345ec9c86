/** Asks every thread that runs how it fares, and the host about all of them. */
import { HostHealthSchema, type PipelineHealth } from '#contracts/health/pipeline-health.ts'
import type { ThreadHealth } from '#contracts/health/thread-health.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { threadHealth } from '#workers/shared/metering/thread-meter.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

/** A thread that says nothing for so long stands still, or has one long piece of work in hand. Milliseconds. */
const ANSWER_MS = 1_000

export function healthHandlers({ services }: HandlerParts): HandlersOf<'health.pipeline'> {
  const { llm, tools, storage, pool, context } = services
  const options = { deadlineMs: ANSWER_MS }
  const asked = (): { name: string; answer: Promise<ThreadHealth> }[] => [
    ...(llm.started ? [{ name: 'llm', answer: llm.client().then(async (client) => (await client.health({}, options)).thread) }] : []),
    ...(storage.started
      ? [{ name: 'storage', answer: storage.client().then(async (client) => (await client.health({}, options)).thread) }]
      : []),
    ...(tools.started ? [{ name: 'tools', answer: tools.client().then(async (client) => (await client.health({}, options)).thread) }] : []),
    ...pool.health().map((answer) => ({ name: 'context', answer })),
  ]

  return {
    'health.pipeline': async (): Promise<PipelineHealth> => {
      const threads: ThreadHealth[] = [threadHealth()]
      const silent: string[] = []
      const host = context.native('hostHealth', {}).then(
        (value) => HostHealthSchema.parse(value),
        (thrown: unknown) => {
          context.log('warn', `health of the host: ${toErrorData(thrown).message}`)
          return undefined
        },
      )
      await Promise.all(
        asked().map(async ({ name, answer }) => {
          const health = await within(answer, ANSWER_MS)
          if (health === undefined) silent.push(name)
          else threads.push(health)
        }),
      )
      const found = await host
      return { ...(found === undefined ? {} : { host: found }), threads, silent, sessions: services.meter.read() }
    },
  }
}

/** Undefined when it fails or takes longer: that it said nothing is then all there is to say. */
async function within<T>(answer: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)))
  try {
    return await Promise.race([answer.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}
