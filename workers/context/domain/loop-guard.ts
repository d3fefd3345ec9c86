/** Stops compactions that do not help: two in a row that end nearly full, or three with hardly any work between. */
import type { CompactionState } from '#contracts/context/compaction.ts'

export type Guard = CompactionState['guard']

const MOST_HIGH = 2
const MOST_IDLE = 2
/** However useful each one looked. */
const MOST_WITHOUT_USER = 12
export const HIGH_RATIO = 0.8
/** New messages that count as work done since the last compaction. */
const LEAST_WORK = 6

export const NEW_GUARD: Guard = { userMessages: 0, automatic: 0, endedHigh: 0, idle: 0 }

/** Only a user message resets the guard. */
export function guardNow(guard: Guard | undefined, userMessages: number): Guard {
  return guard === undefined || userMessages > guard.userMessages ? { ...NEW_GUARD, userMessages } : guard
}

export function mayCompact(guard: Guard): boolean {
  return guard.endedHigh < MOST_HIGH && guard.idle < MOST_IDLE && guard.automatic < MOST_WITHOUT_USER
}

/** @param newMessages since the previous compaction; @param ratio of the budget afterwards. */
export function guardAfter(guard: Guard, newMessages: number, ratio: number): Guard {
  return {
    userMessages: guard.userMessages,
    automatic: guard.automatic + 1,
    endedHigh: ratio > HIGH_RATIO ? guard.endedHigh + 1 : 0,
    idle: guard.automatic > 0 && newMessages < LEAST_WORK ? guard.idle + 1 : 0,
  }
}
