/** The system prompt's partitions, made once per session from the four workspace files. */
import type { MetonaSystemPrompt } from '#contracts/metona/metona-context.ts'
import { promptTexts, type Language } from './prompt-texts.ts'
import { cleanWorkspaceText, cutToLimit, languageOf, partitionLimits, type PartitionFile } from './workspace-text.ts'

/** What was found on disk; `undefined` text means the file is not there. */
export interface WorkspaceFileText {
  readonly file: PartitionFile
  readonly text: string | undefined
  /** Set when the file is there but was not read. */
  readonly refused?: string
}

export interface FrozenPrompt {
  readonly systemPrompt: MetonaSystemPrompt
  readonly language: Language
  /** The cleaned text of each file, whole, to tell later what changed. */
  readonly sources: Readonly<Partial<Record<PartitionFile, string>>>
  readonly notes: readonly string[]
}

export const partitionFiles: readonly PartitionFile[] = ['SOUL.md', 'AGENTS.md', 'USERS.md', 'MEMORY.md']

/** @param fallback the person's first words, which decide the language where the files say nothing. */
export function composeSystemPrompt(
  files: readonly WorkspaceFileText[],
  place: { workspace: string; platform: string },
  fallback: string,
): FrozenPrompt {
  // What the person wrote decides; in untouched templates their explanations do.
  const written = files.map((entry) => (entry.text === undefined ? '' : cleanWorkspaceText(entry.text, entry.file))).join('\n')
  const raw = files.map((entry) => entry.text ?? '').join('\n')
  const language = languageOf([written, raw, fallback].find((text) => text.trim() !== '') ?? '')
  const texts = promptTexts[language]
  const notes: string[] = []
  const sources: Partial<Record<PartitionFile, string>> = {}
  const parts: Partial<Record<PartitionFile, string>> = {}
  for (const entry of files) {
    if (entry.refused !== undefined) notes.push(texts.unreadable(entry.file, entry.refused))
    if (entry.text === undefined) continue
    const clean = cleanWorkspaceText(entry.text, entry.file)
    sources[entry.file] = clean
    if (clean === '') continue
    const { text, linesCut } = cutToLimit(clean, entry.file)
    if (linesCut > 0) notes.push(texts.cutForPerson(entry.file, linesCut, partitionLimits[entry.file]))
    parts[entry.file] = linesCut > 0 ? `${text}\n${texts.cutForModel(entry.file, linesCut)}` : text
  }
  const systemPrompt: MetonaSystemPrompt = {
    roleDefinition: parts['SOUL.md'] ?? texts.defaultRole,
    outputConstraints: texts.outputConstraints(place.workspace, place.platform),
    safetyGuidelines: texts.safetyGuidelines,
  }
  if (parts['AGENTS.md'] !== undefined) systemPrompt.behaviorRules = parts['AGENTS.md']
  if (parts['USERS.md'] !== undefined) systemPrompt.userProfile = parts['USERS.md']
  if (parts['MEMORY.md'] !== undefined) systemPrompt.memory = `${texts.memoryIntro}\n${parts['MEMORY.md']}`
  return { systemPrompt, language, sources, notes }
}
