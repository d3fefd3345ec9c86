/** The times of change by which a stand-in for an absent protected name is known: whole seconds within half a year of 1978. */
const FIRST = 268_435_456
const RANGE = 16_777_216

/** @param random from 0 up to 1. @returns seconds since the epoch. */
export function standInStamp(random: number): number {
  return FIRST + Math.floor(random * RANGE)
}

export function isStandInTime(modifiedMs: number): boolean {
  const seconds = modifiedMs / 1000
  return Number.isInteger(seconds) && seconds >= FIRST && seconds < FIRST + RANGE
}
