/** What must not leave this thread, neither to a file nor to another thread that shows or writes it. */
import { createRedactor, secretsOfEnvironment, type Redactor, type Secret } from './redact.ts'

export class Secrets {
  #known: Secret[]
  readonly #added: Secret[] = []
  #redactor: Redactor

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#known = secretsOfEnvironment(environment)
    this.#redactor = createRedactor(this.#known)
  }

  get redactor(): Redactor {
    return this.#redactor
  }

  /** Those that are not in the environment, for other workers that write. */
  get added(): readonly Secret[] {
    return this.#added
  }

  add(...secrets: readonly Secret[]): void {
    const fresh = secrets.filter((secret) => !this.#known.some((known) => known.value === secret.value))
    if (fresh.length === 0) return
    this.#added.push(...fresh)
    this.#known = [...this.#known, ...fresh]
    this.#redactor = createRedactor(this.#known)
  }
}
