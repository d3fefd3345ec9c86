/** What is known of token numbers beyond one run: exact counts with their session, each model's account in the profile. */
import type { ModelAccount, StoredCount } from '#contracts/context/token-report.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { keep } from './keep.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'

export class TokenKnowledge {
  readonly #services: Pick<Services, 'context' | 'storage'>
  #accounts: Promise<Map<string, ModelAccount>> | undefined
  /** Learned since they were last stored. */
  readonly #news = new Map<string, ModelAccount>()

  constructor(services: Pick<Services, 'context' | 'storage'>) {
    this.#services = services
  }

  /** The newest account of a model; without the list the estimates begin anew. */
  async accountOf(provider: string, model: string): Promise<ModelAccount | undefined> {
    try {
      return (await this.#list()).get(nameOf({ provider, model }))
    } catch (thrown) {
      this.#services.context.log('warn', `what is known of ${model}: ${toErrorData(thrown).message}`)
      return undefined
    }
  }

  async all(): Promise<ModelAccount[]> {
    return [...(await this.#list()).values()]
  }

  learned(account: ModelAccount): void {
    this.#news.set(nameOf(account), account)
    keep(this.#services, 'model account', this.#remember(account))
  }

  /** At the end of a turn: none of it is worth a write of its own before. */
  store(session: LiveSession): void {
    const counts: StoredCount[] = session.takeNewCounts()
    const { workspace, sessionId } = session
    const accounts = [...this.#news.values()]
    this.#news.clear()
    if (counts.length > 0)
      keep(
        this.#services,
        'token counts',
        this.#services.storage.ask((storage) => storage.saveTokenCounts({ workspace, sessionId, counts })),
      )
    for (const account of accounts)
      keep(
        this.#services,
        'model account',
        this.#services.storage.ask((storage) => storage.saveModelAccount({ account })),
      )
  }

  async #remember(account: ModelAccount): Promise<void> {
    const accounts = await this.#list()
    accounts.set(nameOf(account), account)
  }

  #list(): Promise<Map<string, ModelAccount>> {
    this.#accounts ??= this.#read()
    return this.#accounts
  }

  async #read(): Promise<Map<string, ModelAccount>> {
    try {
      const { accounts } = await this.#services.storage.ask((storage) => storage.listModelAccounts({}))
      return new Map(accounts.map((account) => [nameOf(account), account]))
    } catch (thrown) {
      this.#accounts = undefined
      throw thrown
    }
  }
}

function nameOf({ provider, model }: { provider: string; model: string }): string {
  return `${provider}/${model}`
}
