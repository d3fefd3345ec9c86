/**
 * One compaction as a pure function: where to cut, what stands for the head, and how far to go until the result
 * is worth it. Nothing is accepted that does not shrink the request.
 */
import type { CompactionState } from '#contracts/context/compaction.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { digestHistory, openTodo, touchedFiles } from './digest-history.ts'
import { NEW_GUARD } from './loop-guard.ts'
import { messageKey } from './message-text.ts'
import { keptTokens, planCut } from './plan-cut.ts'
import type { Language } from './prompt-texts.ts'
import { cutMiddle, longestText } from './shrink-message.ts'
import { summaryText } from './summary-message.ts'
import type { TokenBudget } from './token-budget.ts'

/** After a compaction the request should be at most this share of the budget, and of what it was. */
const WANTED_SHARE = 0.5
const LEAST_GAIN = 0.9
const SUMMARY_SHARE = 0.15
const QUOTES_SHARE = 0.2
const MOST_FILES = 5

export interface CompactionInput {
  readonly history: readonly MetonaMessage[]
  readonly state: CompactionState | undefined
  /** A model's summary; without one the digest is used. */
  readonly modelSummary?: string
  readonly language: Language
  readonly taskGoal?: string
  readonly carryOver: readonly string[]
  readonly budget: TokenBudget
  /** The provider refused this request as too long, whatever we counted. */
  readonly overflow: boolean
  /** Tokens of the whole request that a state makes. */
  readonly measure: (state: CompactionState | undefined) => number
  /** Tokens of one message as sent whole. */
  readonly tokensOf: (message: MetonaMessage) => number
  readonly count: (text: string) => number
}

export type CompactionOutcome =
  | { readonly kind: 'applied'; readonly state: CompactionState; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly kind: 'nothing'; readonly tokens: number }
  | { readonly kind: 'irreducible'; readonly tokens: number; readonly limit: number }

/** How hard a candidate cuts; shares of the usual amounts, characters for texts. */
interface Level {
  readonly keep: number
  readonly older: number
  readonly newest: number
  readonly quotes: number
  readonly summary: number
}

const GENTLE: readonly Level[] = [
  { keep: 1, older: Infinity, newest: Infinity, quotes: 1, summary: 1 },
  { keep: 1, older: 8_000, newest: Infinity, quotes: 1, summary: 1 },
  { keep: 1, older: 2_000, newest: 16_000, quotes: 1, summary: 1 },
  { keep: 0.5, older: 2_000, newest: 8_000, quotes: 1, summary: 1 },
]
/** Only when the request would not fit otherwise. */
const HARD: readonly Level[] = [
  { keep: 0.25, older: 1_000, newest: 4_000, quotes: 0.5, summary: 0.5 },
  { keep: 0, older: 1_000, newest: 4_000, quotes: 0.5, summary: 0.5 },
  { keep: 0, older: 400, newest: 1_000, quotes: 0.25, summary: 0.25 },
  { keep: 0, older: 200, newest: 400, quotes: 0, summary: 0.1 },
  { keep: 0, older: 100, newest: 100, quotes: 0, summary: 0 },
]

export function compactHistory(input: CompactionInput): CompactionOutcome {
  const before = input.measure(input.state)
  const limit = input.overflow ? Math.min(input.budget.inputLimit, Math.floor(before * LEAST_GAIN)) : input.budget.inputLimit
  const wanted = Math.min(input.budget.budget * WANTED_SHARE, before * LEAST_GAIN)
  let best: { state: CompactionState; tokens: number } | undefined
  const attempt = (level: Level): number => {
    const state = candidate(input, level)
    if (state === undefined) return Infinity
    const tokens = input.measure(state)
    if (best === undefined || tokens < best.tokens) best = { state, tokens }
    return tokens
  }
  const enough = (most: number): boolean => best !== undefined && best.tokens <= most
  for (const level of GENTLE) if (attempt(level) <= wanted) break
  if (!enough(Math.min(limit, before * LEAST_GAIN)) && before > limit) for (const level of HARD) if (attempt(level) <= limit) break
  if (best !== undefined && best.tokens <= limit && (best.tokens <= before * LEAST_GAIN || before > limit))
    return { kind: 'applied', state: best.state, tokensBefore: before, tokensAfter: best.tokens }
  return before > limit
    ? { kind: 'irreducible', tokens: Math.min(before, best?.tokens ?? before), limit }
    : { kind: 'nothing', tokens: before }
}

function candidate(input: CompactionInput, level: Level): CompactionState | undefined {
  const { history, state } = input
  const from = state?.summary === undefined ? 0 : state.keptFrom
  // With nothing new to summarise, a hard level may still shorten the summary there is.
  const again = state?.summary === undefined || !HARD.includes(level) ? undefined : state.keptFrom
  const cut = planCut(history, from, keptTokens(input.budget.budget) * level.keep, input.tokensOf) ?? again
  const base = state ?? { method: 'digest' as const, keptFrom: 0, prunedBefore: 0, shrunk: {}, guard: NEW_GUARD }
  if (cut === undefined) {
    // One group only: nothing to summarise, but its texts may still be cut.
    const shrunk = shrinkFrom(history, from, level, base.shrunk)
    return shrunk === undefined ? undefined : { ...base, shrunk }
  }
  const newestUser = history.findLastIndex((message) => message.role === 'user')
  const pinned = newestUser >= 0 && newestUser < cut ? newestUser : undefined
  const head = history.slice(0, cut)
  const core = input.modelSummary ?? state?.core
  const todo = openTodo(history)
  const summary =
    input.modelSummary ??
    digestHistory(
      {
        head,
        todo,
        ...(core === undefined ? {} : { earlier: core }),
        ...(input.taskGoal === undefined ? {} : { taskGoal: input.taskGoal }),
      },
      input.language,
    )
  const text = summaryText(
    {
      summary: cutToTokens(summary, input.budget.budget * SUMMARY_SHARE * level.summary, input.count),
      quoted: head.filter((message, index) => message.role === 'user' && index !== pinned),
      ...(input.taskGoal === undefined ? {} : { taskGoal: input.taskGoal }),
      todo: level.quotes === 0 ? [] : todo,
      files: level.quotes === 0 ? [] : touchedFiles(history).slice(-MOST_FILES),
      carryOver: input.carryOver,
      omitted: 0,
    },
    input.language,
    input.budget.budget * QUOTES_SHARE * level.quotes,
    input.count,
  )
  const kept = history[cut]
  const keptFromId = kept === undefined ? undefined : messageKey(kept)
  return {
    method: input.modelSummary === undefined ? 'digest' : 'model',
    summary: text,
    ...(core === undefined ? {} : { core }),
    keptFrom: cut,
    ...(keptFromId === undefined ? {} : { keptFromId }),
    ...(pinned === undefined ? {} : { pinned }),
    prunedBefore: base.prunedBefore,
    shrunk: shrinkFrom(history, cut, level, base.shrunk) ?? keptShrunk(history, cut, base.shrunk),
    guard: base.guard,
  }
}

/** Cuts for the texts from `start` on that are longer than the level allows; undefined when there are none. */
function shrinkFrom(
  history: readonly MetonaMessage[],
  start: number,
  level: Level,
  before: Readonly<Record<string, number>>,
): Record<string, number> | undefined {
  const newest = history.findLastIndex((message) => message.role !== 'tool')
  const shrunk = keptShrunk(history, start, before)
  let changed = false
  for (let index = start; index < history.length; index++) {
    const message = history[index]
    const key = message === undefined ? undefined : messageKey(message)
    if (message === undefined || key === undefined) continue
    const most = index >= newest ? level.newest : level.older
    if (most >= (shrunk[key] ?? Infinity) || longestText(message) <= most) continue
    shrunk[key] = most
    changed = true
  }
  return changed ? shrunk : undefined
}

/** Earlier cuts of messages that are still sent: a text never grows back. */
function keptShrunk(history: readonly MetonaMessage[], start: number, before: Readonly<Record<string, number>>): Record<string, number> {
  if (Object.keys(before).length === 0) return {}
  const kept: Record<string, number> = {}
  for (const message of history.slice(start)) {
    const key = messageKey(message)
    const most = key === undefined ? undefined : before[key]
    if (key !== undefined && most !== undefined) kept[key] = most
  }
  return kept
}

function cutToTokens(text: string, most: number, count: (text: string) => number): string {
  let characters = text.length
  let cut = text
  while (characters > 0 && count(cut) > most) {
    characters = Math.floor(characters * 0.7)
    cut = cutMiddle(text, characters)
  }
  return cut
}
