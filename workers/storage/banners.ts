import type { Banner } from '#contracts/session/client-protocol.ts'

type Params = Record<string, string | number | boolean>

/** Conditions and notices of one workspace (or of the profile), by code: saying a thing twice shows it once. */
export class Banners {
  readonly #byCode = new Map<string, Banner>()
  readonly #workspace: string | undefined

  constructor(workspace?: string) {
    this.#workspace = workspace
  }

  set(level: Banner['level'], code: string, message: string, params?: Params): void {
    this.#byCode.set(code, {
      id: this.#workspace === undefined ? code : `${code}:${this.#workspace}`,
      level,
      code,
      message,
      ...(params === undefined ? {} : { params }),
      ...(this.#workspace === undefined ? {} : { workspace: this.#workspace }),
    })
  }

  /** Adds a sentence to a banner that stands. */
  extend(code: string, sentence: string, params: Params): void {
    const banner = this.#byCode.get(code)
    if (banner !== undefined) this.set(banner.level, code, `${banner.message} ${sentence}`, { ...banner.params, ...params })
  }

  clear(code: string): void {
    this.#byCode.delete(code)
  }

  has(code: string): boolean {
    return this.#byCode.has(code)
  }

  list(): Banner[] {
    return [...this.#byCode.values()]
  }
}
