/** What the model may be given of files that speak in the person's name, as storage says it. */
import type { FileVerdict, SeenFile } from '#contracts/workspace/agreed-file.ts'
import type { LiveSession } from './live-session.ts'

interface Known {
  readonly answers: number
  readonly verdicts: readonly FileVerdict[]
}

/** Which texts are known to be agreed to, so that the first build of a session need not ask, and when that ends. */
export class Agreements {
  readonly #known = new Map<string, Known>()
  #answers = 0
  #profileVersion: number | undefined

  /** Counts answers of the person's; builds are told, so that what was agreed to is taken up. */
  get answers(): number {
    return this.#answers
  }

  /** Storage said so when it opened the workspace. */
  opened(workspace: string, verdicts: readonly FileVerdict[], profileVersion: number): void {
    this.profileIs(profileVersion)
    this.#known.set(workspace, { answers: this.#answers, verdicts })
  }

  /** Empty once the person answered anything since: then a build asks. */
  of(workspace: string): readonly FileVerdict[] {
    const known = this.#known.get(workspace)
    return known?.answers === this.#answers ? known.verdicts : []
  }

  /** Before each turn. Whatever another process wrote may be an answer, or may take one back. */
  profileIs(version: number): void {
    if (this.#profileVersion !== undefined && version !== this.#profileVersion) this.#answers++
    this.#profileVersion = version
  }

  answered(): void {
    this.#answers++
  }

  /** A file differs from what was agreed to: builds ask from now on, so that the banner follows what they find. */
  forget(workspace: string): void {
    this.#known.delete(workspace)
  }
}

/** Rejects when storage cannot be had: without an answer nothing of these files is used. */
export async function judgeFiles({ store, workspace }: LiveSession, files: SeenFile[], agreements: Agreements): Promise<FileVerdict[]> {
  agreements.forget(workspace)
  const { verdicts } = await store.ask((storage) => storage.judgeFiles({ workspace, files }))
  return verdicts
}
