/** The two tiers of the same proofs: `PROOF=ci` (the default, all suites within 25 minutes) and `PROOF=full`. */

export type ProofTier = 'ci' | 'full'

/** @throws when `PROOF` is set to anything else, so that a typing mistake cannot pass as the small tier. */
export function proofTier(value: string | undefined = process.env['PROOF']): ProofTier {
  if (value === undefined || value === '' || value === 'ci') return 'ci'
  if (value === 'full') return 'full'
  throw new Error(`PROOF is ${JSON.stringify(value)}; it may be "ci" or "full"`)
}

/** The number of a proof for the tier in force: `proof(1000, 100)` is 1,000 under `PROOF=full`, else 100. */
export function proof<T>(full: T, ci: T): T {
  return proofTier() === 'full' ? full : ci
}
