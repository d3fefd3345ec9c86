/**
 * The files that speak to the model in the person's name. Each is read once a build, and what goes to the model is what
 * the person agreed to of it: the text that was read or the one agreed to before. The verdict comes from the caller, who
 * asks the person; a text without one stops the build.
 */
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import type { FileVerdict, SeenFile } from '#contracts/workspace/agreed-file.ts'
import { hashOfText, readWorkspaceFile, stampOf } from '#workers/shared/workspace-file.ts'

interface Reading {
  readonly seen: SeenFile
  readonly hash: string
  readonly stamp: string | undefined
  readonly refused: string | undefined
}

export interface AgreedText {
  /** Empty where there is none. */
  readonly text: string
  /** The file is there but was not read. */
  readonly refused?: string
}

export class InstructionFiles {
  readonly #workspace: string
  readonly #verdicts = new Map<string, FileVerdict>()
  readonly #stamps = new Map<string, string | undefined>()
  /** Read by a build that was stopped for want of a verdict: judged is what is used, whatever the file says since. */
  readonly #waiting = new Map<string, Reading>()
  readonly #agreed = new Map<string, AgreedText>()
  #agreements: number | undefined

  constructor(workspace: string) {
    this.#workspace = workspace
  }

  /** At the start of a build. */
  take({ verdicts, agreements }: Pick<BuildTask, 'verdicts' | 'agreements'>): void {
    if (agreements !== this.#agreements) {
      this.#agreements = agreements
      this.#verdicts.clear()
      this.#stamps.clear()
    }
    for (const verdict of verdicts ?? []) this.#verdicts.set(verdict.name, verdict)
    this.#agreed.clear()
  }

  /** Those that may have changed since they were used last. Costs a `stat` each. */
  async changed(names: readonly string[]): Promise<string[]> {
    const stamps = await Promise.all(names.map((name) => stampOf(this.#workspace, name)))
    return names.filter((name, index) => !this.#stamps.has(name) || this.#stamps.get(name) !== stamps[index])
  }

  /** Reads files for this build. @returns those that the person has to be asked about first. */
  async look(names: readonly string[]): Promise<SeenFile[]> {
    const readings = await Promise.all(names.map(async (name) => this.#waiting.get(name) ?? this.#read(name)))
    const unseen = readings.filter(({ seen, hash }) => mattersWhenEmpty(seen) && this.#verdicts.get(seen.name)?.hash !== hash)
    this.#waiting.clear()
    if (unseen.length > 0) {
      for (const reading of readings) this.#waiting.set(reading.seen.name, reading)
      return unseen.map(({ seen }) => seen)
    }
    for (const { seen, stamp, refused } of readings) {
      this.#stamps.set(seen.name, stamp)
      const text = this.#verdicts.get(seen.name)?.text ?? seen.text
      this.#agreed.set(seen.name, { text, ...(refused === undefined ? {} : { refused }) })
    }
    return []
  }

  /** What may be used of a file that this build looked at; undefined for one that it did not. */
  agreed(name: string): AgreedText | undefined {
    return this.#agreed.get(name)
  }

  async #read(name: string): Promise<Reading> {
    const reading = await readWorkspaceFile(this.#workspace, name)
    const found = reading.kind === 'text' ? reading : undefined
    const text = found?.text ?? ''
    return {
      seen: { name, text, changedAt: found?.changedAt ?? 0 },
      hash: hashOfText(text),
      stamp: found?.stamp ?? (await stampOf(this.#workspace, name)),
      refused: reading.kind === 'refused' ? reading.reason : undefined,
    }
  }
}

/** One of the four that is gone takes rules of the person's with it; below the root most folders have none. */
function mattersWhenEmpty({ name, text }: SeenFile): boolean {
  return text !== '' || !name.includes('/')
}
