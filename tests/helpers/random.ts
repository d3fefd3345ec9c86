/** Repeatable randomness for proofs: the seed is printed, and `SEED=…` gives the same run again. */

export interface Random {
  readonly seed: number
  /** 0 inclusive to 1 exclusive. */
  next(): number
  /** `from` inclusive to `to` exclusive. */
  between(from: number, to: number): number
}

/** @param name printed beside the seed. */
export function seededRandom(name: string): Random {
  const given = Number(process.env['SEED'])
  const seed = Number.isInteger(given) && given > 0 ? given : Math.floor(Math.random() * 2 ** 31) + 1
  process.stdout.write(`${name}: SEED=${seed}\n`)
  let state = seed
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { seed, next, between: (from, to) => from + next() * (to - from) }
}
