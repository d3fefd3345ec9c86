/** How evenly the tokens of one session come at a client while something else goes on in the same pipeline. */
import { createClient } from '#main/cli/client.ts'
import { followSession } from '#main/cli/follow-session.ts'
import type { CliPlace } from './cli.ts'
import { eventually } from './eventually.ts'
import type { FakeProvider } from './fake-provider.ts'
import type { Pipeline } from './pipeline.ts'

export const TOKENS_PER_SECOND = 100

export interface GapPlace {
  readonly provider: FakeProvider
  readonly place: CliPlace
  readonly pipeline: Pipeline
}

/** @returns milliseconds between two arrivals of text, while `beside` goes on, over `seconds` of streaming. */
export async function gapsBeside(
  { provider, place, pipeline }: GapPlace,
  seconds: number,
  beside: () => Promise<unknown>,
): Promise<number[]> {
  await provider.script([{ tokens: seconds * TOKENS_PER_SECOND, tokensPerSecond: TOKENS_PER_SECOND }])
  const session = await pipeline.session({ model: 'deepseek/deepseek-flash' })
  const times: number[] = []
  const reader = followSession(createClient(pipeline.host.connect()), {
    workspace: place.workspace,
    sessionId: session.sessionId,
    fromSeq: 0,
    onEvent: () => undefined,
    onDelta: (delta) => void (delta.delta === 'stream' && times.push(performance.now())),
    onSnapshot: () => undefined,
    onFailure: () => undefined,
  })
  await reader.subscribe()
  await session.prompt('count')
  // The stand-in for a provider gives its answers in the order of the requests.
  await eventually('the first token', () => times.length > 0)
  await Promise.all([beside(), session.ended(1)])
  return times.slice(1).map((time, index) => time - (times[index] as number))
}
