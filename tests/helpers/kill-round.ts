/**
 * One round of killing the app: start it, kill it with SIGKILL at the chosen moment, look at what is left, start it
 * again. Every finding is a sentence; a round that found nothing is a good one.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { makeCliPlace, processesWith, runCli, startCli, type CliPlace } from './cli.ts'
import { endProcesses } from './end-processes.ts'
import { eventually } from './eventually.ts'
import { proof } from './proof.ts'
import type { FakeProvider, FakeRule } from './fake-provider.ts'
import { lostMilliseconds, observe, type RunObserver } from './run-observer.ts'
import type { SeveralSessionsOptions } from './several-sessions-app.ts'
import { differencesTo, parseStored, readEvidence, unsettled, type Evidence } from './stored-evidence.ts'
import { chatProblems, messagesOf } from './valid-chat.ts'

export interface RoundContext {
  readonly place: CliPlace
  readonly observer: RunObserver
  readonly child: ChildProcess
}

export interface Scenario {
  readonly name: string
  readonly rules: readonly FakeRule[]
  /** Arguments of `metona run` beside workspace, model and prompt; or a shell with several sessions. */
  readonly start:
    | { readonly kind: 'run'; readonly args: readonly string[] }
    | {
        readonly kind: 'several'
        readonly options: Pick<SeveralSessionsOptions, 'prompts' | 'settings' | 'sessionEntry'>
        readonly bundles: string
      }
  /** Nothing can be written at the moment of death, so that the limit on lost text does not hold. */
  readonly textIsLost?: boolean
  prepare?(place: CliPlace): Promise<void>
  /** Resolves at the moment of death. */
  moment(context: RoundContext): Promise<void>
}

export interface RoundReport {
  readonly problems: string[]
  /** Durable events the observer saw. */
  readonly seen: number
  /** Milliseconds of streamed text each interrupted message lost, and how much of it was kept. */
  readonly lost: { readonly milliseconds: number; readonly keptCharacters: number; readonly seenCharacters: number }[]
  /** Outcomes of calls the death cut off. */
  readonly unknownOutcomes: number
  readonly interruptedTurns: number
  readonly orphansGoneMs: number
}

/** Written by commands of the scenarios, one word a line: the outside count of side effects. */
export const EFFECTS = 'effects.txt'
/** On a machine with nothing else to do nothing is left after 2 s; a loaded one may take its time. */
const ORPHAN_LIMIT_MS = proof(2_000, 15_000)

const KEY = 'sk-0123456789abcdef0123456789abcdef'

export async function killRound(provider: FakeProvider, scenario: Scenario): Promise<RoundReport> {
  await provider.reset()
  await provider.script([...scenario.rules])
  const place = await makeCliPlace({ DEEPSEEK_API_KEY: KEY, DEEPSEEK_BASE_URL: provider.baseUrl })
  try {
    await scenario.prepare?.(place)
    const child = await startScenario(place, scenario)
    const observer = observe(child)
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    await Promise.race([scenario.moment({ place, observer, child }), closed])
    const killedAt = performance.now()
    const died = child.kill('SIGKILL')
    await closed
    const problems: string[] = []
    if (!died && scenario.start.kind === 'several') problems.push('it had ended before it was killed')
    const orphansGoneMs = await orphansGone(place, problems)
    const report = await afterwards({ provider, place, observer, killedAt, problems, orphansGoneMs })
    return scenario.textIsLost === true ? { ...report, lost: [] } : report
  } finally {
    await endProcesses(place.marker)
    await place.remove()
  }
}

async function startScenario(place: CliPlace, { start }: Scenario): Promise<ChildProcess> {
  if (start.kind === 'run')
    return (
      await startCli(place, ['run', '-w', place.workspace, '--trust', '--json', '--deltas', '-m', 'deepseek/deepseek-flash', ...start.args])
    ).child
  const options: SeveralSessionsOptions = { workspace: place.workspace, profile: place.profile, bundles: start.bundles, ...start.options }
  return spawn(process.execPath, [path.join(import.meta.dirname, 'several-sessions-app.ts'), JSON.stringify(options)], {
    cwd: place.folder,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function orphansGone(place: CliPlace, problems: string[]): Promise<number> {
  const since = performance.now()
  let left: { pid: number; command: string }[] = []
  await eventually('orphans to be gone', async () => (left = await processesWith(place.marker)).length === 0, ORPHAN_LIMIT_MS).catch(() =>
    problems.push(`orphans: ${JSON.stringify(left)}`),
  )
  return performance.now() - since
}

interface Aftermath {
  readonly provider: FakeProvider
  readonly place: CliPlace
  readonly observer: RunObserver
  readonly killedAt: number
  readonly problems: string[]
  readonly orphansGoneMs: number
}

async function afterwards({ provider, place, observer, killedAt, problems, orphansGoneMs }: Aftermath): Promise<RoundReport> {
  const effectsBefore = await readEffects(place)
  const verified = await runCli(place, ['doctor', '-w', place.workspace, '--verify'])
  if (verified.code !== 0 || (observer.events.length > 0 && !verified.stdout.endsWith(', 0 differences\n')))
    problems.push(`doctor: ${verified.code} ${verified.stdout}${verified.stderr}`)
  if (observer.events.length > 0) problems.push(...differencesTo(observer.events, await readEvidence(place.workspace)))

  // The app is used again: in a session that was cut off if there is one, else in a new one.
  const session = observer.events[0] === undefined ? undefined : parseStored(observer.events[0]).sessionId
  await provider.reset()
  await provider.script([{ answers: [{ text: 'all is well' }], repeatLast: true }])
  const again = await runCli(place, [
    'run',
    '-w',
    place.workspace,
    '--trust',
    '--json',
    '-m',
    'deepseek/deepseek-flash',
    ...(session === undefined ? [] : ['--session', session]),
    'and again',
  ])
  if (again.code !== 0) problems.push(`the next run: ${again.code} ${again.stderr} ${again.stdout.slice(-400)}`)
  problems.push(...chatProblems(messagesOf((await provider.requests()).at(-1))))

  const evidence = await readEvidence(place.workspace)
  problems.push(...differencesTo(observer.events, evidence))
  for (const lines of evidence.log.values()) problems.push(...unsettled(lines))
  if (evidence.partials !== 0) problems.push(`${evidence.partials} partial texts are left over`)
  problems.push(...effectProblems(effectsBefore, await readEffects(place), evidence))

  const stored = [...evidence.log.values()].flat().map(parseStored)
  return {
    problems,
    seen: observer.events.length,
    lost: lostText(observer, stored, killedAt, problems),
    unknownOutcomes: stored.filter((event) => event.event === 'tool_result' && event['outcome'] === 'unknown').length,
    interruptedTurns: stored.filter((event) => event.event === 'turn_end' && event['reason'] === 'interrupted').length,
    orphansGoneMs,
  }
}

function lostText(
  observer: RunObserver,
  stored: readonly ReturnType<typeof parseStored>[],
  killedAt: number,
  problems: string[],
): RoundReport['lost'] {
  const lost: { milliseconds: number; keptCharacters: number; seenCharacters: number }[] = []
  for (const seen of observer.texts.values()) {
    const response = stored.find((event) => event.event === 'llm_response' && event['messageId'] === seen.messageId)
    // Killed within the first 750 ms of a message: nothing of it was kept, its request says so under another id.
    const kept = response === undefined ? '' : String(response['content'])
    if (response !== undefined && response['finishReason'] !== 'aborted') continue
    try {
      lost.push({ milliseconds: lostMilliseconds(seen, kept, killedAt), keptCharacters: kept.length, seenCharacters: seen.text.length })
    } catch (error) {
      problems.push(String(error))
    }
  }
  return lost
}

async function readEffects(place: CliPlace): Promise<string[]> {
  const text = await readFile(path.join(place.workspace, EFFECTS), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').slice(0, -1)
}

/** Nothing ran twice, nothing ran after the death, nothing ran without its intent on disk. */
function effectProblems(before: readonly string[], after: readonly string[], { log }: Evidence): string[] {
  const problems: string[] = []
  if (after.join() !== before.join()) problems.push(`side effects after the death: ${after.slice(before.length).join(', ')}`)
  if (new Set(after).size !== after.length) problems.push(`a side effect happened twice: ${after.join(', ')}`)
  const intents = [...log.values()]
    .flat()
    .map(parseStored)
    .filter((event) => event.event === 'tool_call')
    .map((event) => JSON.stringify(event['args']))
  for (const effect of after)
    if (!intents.some((args) => args.includes(effect))) problems.push(`${effect} happened without an intent in the log`)
  return problems
}
