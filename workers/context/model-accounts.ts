/** What the reports of each model taught this thread. */
import type { ModelAccount } from '#contracts/context/token-report.ts'
import { UNCALIBRATED } from './domain/calibrate.ts'

/** As many as an account may hold. */
const MOST_ERRORS = 200

export class ModelAccounts {
  readonly #accounts = new Map<string, ModelAccount>()

  of(provider: string, model: string): ModelAccount {
    const key = `${provider}/${model}`
    let account = this.#accounts.get(key)
    if (account === undefined) {
      account = { provider, model, counter: '', reports: 0, lastEstimated: 0, lastReported: 0, ...UNCALIBRATED, errors: [] }
      this.#accounts.set(key, account)
    }
    return account
  }

  put(account: ModelAccount): void {
    this.#accounts.set(`${account.provider}/${account.model}`, account)
  }

  /** What an earlier thread knew; what this one learned itself is newer. */
  takeOver(account: ModelAccount): void {
    if (this.of(account.provider, account.model).reports === 0) this.put(account)
  }
}

export function withError(errors: readonly number[], error: number): number[] {
  return [...errors, error].slice(-MOST_ERRORS)
}
