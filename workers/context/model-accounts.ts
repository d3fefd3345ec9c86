/** Per model: what its reports taught, and how far the estimates were off. Lives as long as the thread. */
import type { ModelTokenStats } from '#contracts/context/token-report.ts'
import { UNCALIBRATED, type Calibration } from './domain/calibrate.ts'

const MOST_ERRORS = 200

export interface ModelAccount {
  calibration: Calibration
  /** The tools that `calibration.offset` was learned with; another set has another overhead. */
  toolsSignature: string | undefined
  /** Shares, newest last. */
  errors: number[]
  stats: Pick<ModelTokenStats, 'provider' | 'model' | 'counter' | 'reports' | 'lastEstimated' | 'lastReported'>
}

export class ModelAccounts {
  readonly #accounts = new Map<string, ModelAccount>()

  of(provider: string, model: string): ModelAccount {
    const key = `${provider}/${model}`
    let account = this.#accounts.get(key)
    if (account === undefined) {
      account = {
        calibration: UNCALIBRATED,
        toolsSignature: undefined,
        errors: [],
        stats: { provider, model, counter: '', reports: 0, lastEstimated: 0, lastReported: 0 },
      }
      this.#accounts.set(key, account)
    }
    return account
  }

  read(): ModelTokenStats[] {
    return [...this.#accounts.values()].map((account) => {
      const sizes = account.errors.map(Math.abs).toSorted((left, right) => left - right)
      return {
        ...account.stats,
        meanError: sizes.length === 0 ? 0 : sizes.reduce((sum, value) => sum + value, 0) / sizes.length,
        p95Error: sizes[Math.min(sizes.length - 1, Math.ceil(sizes.length * 0.95) - 1)] ?? 0,
        worstError: sizes.at(-1) ?? 0,
        offset: account.calibration.offset,
        slope: account.calibration.slope,
      }
    })
  }
}

export function addError(account: ModelAccount, error: number): void {
  account.errors.push(error)
  if (account.errors.length > MOST_ERRORS) account.errors.shift()
}
