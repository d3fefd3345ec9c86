/**
 * The message list as a provider accepts it: every call has exactly one result, right behind it, and every
 * result has its call. The stored transcript is never changed; this runs on the way to each request.
 */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'

export interface RepairReport {
  readonly missingResults: number
  readonly orphanResults: number
  readonly duplicates: number
  readonly moved: number
  readonly emptyAnswers: number
}

export interface Repaired {
  /** Unchanged messages keep their identity. */
  readonly messages: readonly MetonaMessage[]
  readonly report: RepairReport
}

/** What the model reads in place of a result that never came. */
export const MISSING_RESULT = '[no result: interrupted]'

interface OpenCall {
  readonly call: MetonaToolCall
  result: MetonaMessage | undefined
}

interface Atom {
  readonly message: MetonaMessage
  /** Calls of an assistant message in their order; empty for every other message. */
  readonly calls: OpenCall[]
  /** Results in the order they came, which is the order they are sent in. */
  readonly results: MetonaMessage[]
}

/** Pure and idempotent: repairing its own output changes nothing. */
export function repairPairs(history: readonly MetonaMessage[]): Repaired {
  const report = { missingResults: 0, orphanResults: 0, duplicates: 0, moved: 0, emptyAnswers: 0 }
  const atoms: Atom[] = []
  const open = new Map<string, { atom: Atom; entry: OpenCall }>()
  const seen = new Map<string, number>()
  const renamed = new Map<string, string>()

  for (const message of history) {
    if (message.role === 'tool') {
      const id = message.toolResult?.toolCallId
      const target = id === undefined ? undefined : open.get(id)
      if (id === undefined || target === undefined) {
        if (id !== undefined && seen.has(id)) report.duplicates++
        else report.orphanResults++
        continue
      }
      const sentId = target.entry.call.id
      const result = sentId === id ? message : withCallId(message, sentId)
      target.entry.result = result
      target.atom.results.push(result)
      if (target.atom !== atoms.at(-1)) report.moved++
      open.delete(id)
      continue
    }
    if (message.role !== 'assistant' || message.toolCalls === undefined || message.toolCalls.length === 0) {
      if (message.role === 'assistant' && message.content.trim() === '') report.emptyAnswers++
      else atoms.push({ message, calls: [], results: [] })
      continue
    }
    const within = new Set<string>()
    const calls: MetonaToolCall[] = []
    for (const call of message.toolCalls) {
      if (within.has(call.id)) {
        report.duplicates++
        continue
      }
      within.add(call.id)
      calls.push(uniqueCall(call, seen, renamed))
    }
    const changed = calls.length !== message.toolCalls.length || calls.some((call, index) => call !== message.toolCalls?.[index])
    const atom: Atom = {
      message: changed ? { ...message, toolCalls: calls } : message,
      calls: calls.map((call) => ({ call, result: undefined })),
      results: [],
    }
    atoms.push(atom)
    for (const entry of atom.calls) open.set(renamed.get(entry.call.id) ?? entry.call.id, { atom, entry })
  }

  const messages: MetonaMessage[] = []
  for (const atom of atoms) {
    messages.push(atom.message)
    for (const result of atom.results) messages.push(result)
    for (const { call, result } of atom.calls) {
      if (result !== undefined) continue
      report.missingResults++
      messages.push(missingResult(call, atom.message))
    }
  }
  return { messages, report }
}

/** A call id that an earlier message already used gets a name of its own; providers refuse the same id twice. */
function uniqueCall(call: MetonaToolCall, seen: Map<string, number>, renamed: Map<string, string>): MetonaToolCall {
  const times = seen.get(call.id) ?? 0
  seen.set(call.id, times + 1)
  if (times === 0) return call
  let number = times + 1
  let id = `${call.id}_${number}`
  while (seen.has(id)) id = `${call.id}_${++number}`
  seen.set(id, 1)
  renamed.set(id, call.id)
  const { providerCallId: _old, ...kept } = call
  return { ...kept, id }
}

function withCallId(message: MetonaMessage, id: string): MetonaMessage {
  return message.toolResult === undefined ? message : { ...message, toolResult: { ...message.toolResult, toolCallId: id } }
}

/** The same object for the same call, so that what follows it is recognised as unchanged. */
const missing = new WeakMap<MetonaToolCall, MetonaMessage>()

function missingResult(call: MetonaToolCall, asked: MetonaMessage): MetonaMessage {
  const known = missing.get(call)
  if (known !== undefined) return known
  const made = makeMissingResult(call, asked)
  missing.set(call, made)
  return made
}

function makeMissingResult(call: MetonaToolCall, asked: MetonaMessage): MetonaMessage {
  return {
    role: 'tool',
    content: '',
    timestamp: asked.timestamp,
    id: `missing_${call.id}`,
    toolResult: {
      toolCallId: call.id,
      toolName: call.name,
      result: MISSING_RESULT,
      summary: MISSING_RESULT,
      success: false,
      error: MISSING_RESULT,
      durationMs: 0,
      timestamp: asked.timestamp,
    },
  }
}
