/** Colours of code, made in a worker that starts with the first block and remembered for blocks that come back. */
import type { CodeLine, HighlightAnswer, HighlightRequest } from './highlight-protocol.ts'
// oxlint-disable-next-line import/default -- made by the build, not by a file
import workerAddress from './highlight-worker.ts?worker&url'

/** Longer code stays plain, in UTF-16 code units. */
const LONGEST = 60_000
const MOST_REMEMBERED = 200
/** A grammar that loses itself in a text is ended with its worker. */
const DEADLINE_MS = 10_000

interface ScriptUrlPolicy {
  createScriptURL(address: string): string
}
interface PolicyMaker {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): ScriptUrlPolicy
}

const remembered = new Map<string, readonly CodeLine[]>()
const waiting = new Map<number, (lines: readonly CodeLine[] | undefined) => void>()
let worker: Worker | undefined
let lastId = 0

/** What is known already; a block that scrolls back into view is coloured at once. */
export function knownColours(code: string, language: string): readonly CodeLine[] | undefined {
  return remembered.get(`${language}\n${code}`)
}

/** Resolves with undefined where there are no colours: unknown language, too long, or no worker to be had. */
export async function highlightCode(code: string, language: string): Promise<readonly CodeLine[] | undefined> {
  if (language === '' || code.length > LONGEST) return undefined
  const known = knownColours(code, language)
  if (known !== undefined) return known
  const target = start()
  if (target === undefined) return undefined
  const request: HighlightRequest = { id: ++lastId, code, language }
  const lines = await new Promise<readonly CodeLine[] | undefined>((resolve) => {
    const timer = setTimeout(giveUp, DEADLINE_MS)
    waiting.set(request.id, (found) => {
      clearTimeout(timer)
      resolve(found)
    })
    target.postMessage(request)
  })
  if (lines !== undefined) remember(`${language}\n${code}`, lines)
  return lines
}

function start(): Worker | undefined {
  if (worker !== undefined) return worker
  try {
    worker = new Worker(ownScript(workerAddress), { type: 'module', name: 'code' })
  } catch (error) {
    console.error('code stays without colours:', error)
    return undefined
  }
  worker.addEventListener('message', (event: MessageEvent<HighlightAnswer>) => {
    waiting.get(event.data.id)?.(event.data.lines)
    waiting.delete(event.data.id)
  })
  worker.addEventListener('error', giveUp)
  return worker
}

/** A worker that fell over or does not answer is replaced at the next block; what waited stays plain. */
function giveUp(): void {
  worker?.terminate()
  worker = undefined
  const settled = [...waiting.values()]
  waiting.clear()
  for (const settle of settled) settle(undefined)
}

/** Trusted Types want to know where a worker's address comes from: the build. */
let policy: ScriptUrlPolicy | undefined
function ownScript(address: string): string {
  const maker = (globalThis as { trustedTypes?: PolicyMaker }).trustedTypes
  if (maker === undefined) return address
  policy ??= maker.createPolicy('metona', { createScriptURL: () => workerAddress })
  return policy.createScriptURL(address)
}

function remember(key: string, lines: readonly CodeLine[]): void {
  remembered.delete(key)
  remembered.set(key, lines)
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
