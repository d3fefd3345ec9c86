/**
 * Files that speak to the model in the person's name (the four of the root, AGENTS.md below it) count only as the person
 * agreed to them, because anybody who can write into the folder can write them: a pull, an archive, a program, the model.
 * Trust in the folder agrees to what is there at that time. What comes later is said once, and until it is answered the
 * agreed text stays in use, rather than none: rules that somebody took out of a file must not be gone by that.
 */
import { AppError } from '#contracts/wire/app-error.ts'
import type { AnswerFile, ChangedFile, FileVerdict, SeenFile, WrittenFile } from '#contracts/workspace/agreed-file.ts'
import { WORKSPACE_FILES } from '#contracts/workspace/workspace-file.ts'
import { hashOfText, readWorkspaceFile, textOfBytes } from '#workers/shared/workspace-file.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import type { Banners } from '../banners.ts'
import { PassingAgreements, type AgreedText, type AgreedTexts } from '../profile/agreed-texts.ts'

export interface AgreedFilesOptions {
  readonly stored: () => AgreedTexts
  /** Of an open workspace; undefined for another. */
  readonly banners: (workspace: string) => Banners | undefined
  /** Leaves out what is known to be secret. */
  readonly clean: (text: string) => string
}

/** The comparison gives up after this; then the whole text is shown. */
const DIFF_MS = 400
const NOTHING: Pick<AgreedText, 'hash' | 'text' | 'kept'> = { hash: hashOfText(''), text: '', kept: null }

export class AgreedFiles {
  readonly #options: AgreedFilesOptions
  /** Of folders trusted for this run. */
  readonly #passing = new Map<string, AgreedTexts>()
  /** Not agreed to, as last seen, by workspace and name. */
  readonly #changed = new Map<string, Map<string, SeenFile>>()

  constructor(options: AgreedFilesOptions) {
    this.#options = options
  }

  /** The person trusts the folder: all that it says now is agreed to. */
  async agreeToAll(workspace: string): Promise<void> {
    const texts = this.#textsOf(workspace)
    const names = new Set([...WORKSPACE_FILES, ...texts.all(workspace).keys(), ...this.#changedOf(workspace).keys()])
    const seen = await Promise.all([...names].map((name) => see(workspace, name)))
    texts.put(
      workspace,
      seen.map((file) => this.#agreed(file)),
    )
    texts.cover(workspace)
    this.#changed.delete(workspace)
    this.#say(workspace)
  }

  /** @param created files that were just made from our templates. */
  async opened(workspace: string, trust: 'stored' | 'once', created: readonly string[]): Promise<void> {
    if (trust === 'once' && !this.#passing.has(workspace)) {
      this.#passing.set(workspace, new PassingAgreements())
      return this.agreeToAll(workspace)
    }
    const texts = this.#textsOf(workspace)
    // Trusted by a version that did not ask.
    if (texts.coveredUntil(workspace) === 0) return this.agreeToAll(workspace)
    const known = texts.all(workspace)
    const ours = created.filter((name) => (known.get(name) ?? NOTHING).text === '')
    texts.put(
      workspace,
      (await Promise.all(ours.map((name) => see(workspace, name)))).map((file) => this.#agreed(file)),
    )
    await this.#look(workspace)
  }

  /** Ahead of any question: which text of each of the four may be used as it is. */
  verdicts(workspace: string): FileVerdict[] {
    const known = this.#textsOf(workspace).all(workspace)
    return WORKSPACE_FILES.map((name) => ({ name, hash: (known.get(name) ?? NOTHING).hash }))
  }

  /** What is sent of a file, whatever stands on the disk. */
  textOf(workspace: string, name: string): string {
    return (this.#textsOf(workspace).all(workspace).get(name) ?? NOTHING).text
  }

  judge(workspace: string, files: readonly SeenFile[]): FileVerdict[] {
    const texts = this.#textsOf(workspace)
    const known = texts.all(workspace)
    const verdicts = files.map((file): FileVerdict => {
      const hash = hashOfText(file.text)
      const present = known.get(file.name)
      if (present === undefined && isCovered(file, texts.coveredUntil(workspace))) texts.put(workspace, [this.#agreed(file)])
      else if (hash !== (present ?? NOTHING).hash) {
        this.#changedOf(workspace).set(file.name, file)
        return { name: file.name, hash, text: (present ?? NOTHING).text }
      }
      this.#changedOf(workspace).delete(file.name)
      return { name: file.name, hash }
    })
    this.#say(workspace)
    return verdicts
  }

  /** Looks at all of them as they are now. */
  async changes(workspace: string): Promise<ChangedFile[]> {
    await this.#look(workspace)
    const known = this.#textsOf(workspace).all(workspace)
    return Promise.all(
      [...this.#changedOf(workspace).values()].map(async ({ name, text }) => {
        const { text: before, kept } = known.get(name) ?? NOTHING
        const hash = hashOfText(text)
        return { name, hash, diff: await shownDiff(name, before, this.#options.clean(text)), kept: kept === hash }
      }),
    )
  }

  /** Without what differs, which takes long to tell. */
  async #look(workspace: string): Promise<void> {
    const names = new Set([...WORKSPACE_FILES, ...this.#textsOf(workspace).all(workspace).keys(), ...this.#changedOf(workspace).keys()])
    const seen = await Promise.all([...names].map((name) => see(workspace, name)))
    // Below the root a file that is gone takes no rule with it that the model would still be given.
    this.judge(
      workspace,
      seen.filter(({ name, text }) => text !== '' || !name.includes('/')),
    )
    for (const { name, text } of seen) if (text === '' && name.includes('/')) this.#changedOf(workspace).delete(name)
    this.#say(workspace)
  }

  /** @throws AppError FILE_CHANGED when another text was shown than is there now. */
  answer({ workspace, name, hash, decision }: AnswerFile): void {
    const file = this.#changedOf(workspace).get(name)
    if (file === undefined || hashOfText(file.text) !== hash)
      throw new AppError({
        code: 'FILE_CHANGED',
        message: `${name} was changed again since it was shown; nothing was agreed to`,
        params: { file: name },
      })
    const texts = this.#textsOf(workspace)
    if (decision === 'take') {
      texts.put(workspace, [this.#agreed(file)])
      this.#changedOf(workspace).delete(name)
    } else texts.put(workspace, [{ ...NOTHING, ...texts.all(workspace).get(name), name, kept: hash }])
    this.#say(workspace)
  }

  /** The person wrote it, in our editor. */
  saved(workspace: string, name: string, content: string): void {
    this.#textsOf(workspace).put(workspace, [this.#agreed({ name, text: asRead(content), changedAt: 0 })])
    this.#changedOf(workspace).delete(name)
    this.#say(workspace)
  }

  /** We changed something in it, for the person. What others had put into it before stays to be shown, and so does the whole. */
  wrote(workspace: string, name: string, before: Buffer | string, after: Buffer | string): void {
    const texts = this.#textsOf(workspace)
    const present = texts.all(workspace).get(name) ?? NOTHING
    if (hashOfText(asRead(before)) !== present.hash) return
    texts.put(workspace, [this.#agreed({ name, text: asRead(after), changedAt: 0 })])
  }

  /** The person approved the change, which says nothing about a text that others had put there before: that stays to be shown. */
  approved(workspace: string, { before, after }: WrittenFile): void {
    const texts = this.#textsOf(workspace)
    const present = texts.all(workspace).get(before.name)
    const covered = present === undefined && isCovered(before, texts.coveredUntil(workspace))
    if (!covered && hashOfText(before.text) !== (present ?? NOTHING).hash) return
    texts.put(workspace, [this.#agreed({ ...before, text: after })])
    this.#changedOf(workspace).delete(before.name)
    this.#say(workspace)
  }

  /** Trust for a run ends with it. */
  closed(workspace: string): void {
    this.#passing.delete(workspace)
    this.#changed.delete(workspace)
  }

  #textsOf(workspace: string): AgreedTexts {
    return this.#passing.get(workspace) ?? this.#options.stored()
  }

  #changedOf(workspace: string): Map<string, SeenFile> {
    let changed = this.#changed.get(workspace)
    if (changed === undefined) this.#changed.set(workspace, (changed = new Map()))
    return changed
  }

  #agreed({ name, text }: SeenFile): AgreedText {
    return { name, hash: hashOfText(text), text: this.#options.clean(text), kept: null }
  }

  #say(workspace: string): void {
    const banners = this.#options.banners(workspace)
    if (banners === undefined) return
    const known = this.#textsOf(workspace).all(workspace)
    const open = [...this.#changedOf(workspace).values()].filter(({ name, text }) => known.get(name)?.kept !== hashOfText(text))
    if (open.length === 0) return banners.clear('FILES_CHANGED')
    const files = open.map(({ name }) => name).join(', ')
    banners.set(
      'warning',
      'FILES_CHANGED',
      `Changed outside Metona since you agreed to it: ${files}. The text you agreed to stays in use. \`metona trust ${workspace}\` shows what is new and takes it over.`,
      { files, folder: workspace },
    )
  }
}

/** Below the root nothing is looked at before it is needed: trust in the folder covered what was there by then. */
function isCovered({ name, changedAt }: SeenFile, until: number): boolean {
  return name.includes('/') && changedAt > 0 && changedAt <= until
}

async function see(workspace: string, name: string): Promise<SeenFile> {
  const reading = await readWorkspaceFile(workspace, name)
  return reading.kind === 'text' ? { name, text: reading.text, changedAt: reading.changedAt } : { name, text: '', changedAt: 0 }
}

/** Characters that hide or reorder text are how orders are put into such files unseen. */
async function shownDiff(name: string, before: string, after: string): Promise<string> {
  const { createPatch } = await import('diff')
  const [old, now] = [visibleText(before), visibleText(after)]
  const patch = createPatch(name, old, now, undefined, undefined, { timeout: DIFF_MS })
  // Without the two lines that name the file once more.
  if (patch !== undefined) return patch.split('\n').slice(2).join('\n')
  return createPatch(name, '', now)
}

function asRead(content: Buffer | string): string {
  return textOfBytes(Buffer.from(content))
}
