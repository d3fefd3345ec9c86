/** What in a MEMORY.md is not as the format wants it, by line. Nothing is refused for it and nothing repaired. */
import { SENT_OF_MEMORY_FILE } from '#contracts/workspace/memory-file-limits.ts'
import { LONGEST_MEMORY_LINE, type MemoryProblem } from '#contracts/metona/memory-file.ts'
import { hasHiddenCharacters } from './hidden-characters.ts'
import { readDocument, type MemoryDocument } from './memory-document.ts'
import { isOtherVersion } from './memory-operations.ts'
import { sectionForms, sectionHeadings, sectionNames } from './memory-sections.ts'

/** Of one line; a longer one is reported as such. */
const MOST_LOOKED_AT = 20_000
/** More than this is not sent to a model whole. */
const { lines: MOST_LINES } = SENT_OF_MEMORY_FILE

/** @param isSecret tells a key or password in a line. */
export function checkMemoryDocument(document: MemoryDocument, isSecret: (text: string) => boolean): MemoryProblem[] {
  const { header, sections, unknown, openFence } = readDocument(document)
  const problems: MemoryProblem[] = []
  const report = (at: number, code: MemoryProblem['code'], expected?: string): void => {
    const text = (document[at]?.raw ?? '').slice(0, LONGEST_MEMORY_LINE)
    problems.push({ line: at + 1, code, text: code === 'secret' ? '' : text, ...(expected === undefined ? {} : { expected }) })
  }
  const reportFile = (code: MemoryProblem['code'], expected?: string): void => {
    problems.push({ line: 0, code, text: '', ...(expected === undefined ? {} : { expected }) })
  }
  if (Object.keys(header).length === 0) reportFile('no_header', '# 格式版本: 1.0')
  else if (header.version !== undefined && !/^\d+(\.\d+)*$/.test(header.version.value.normalize('NFKC')))
    report(header.version.at, 'bad_version', '1.0')
  else if (header.version !== undefined && isOtherVersion(header.version.value)) report(header.version.at, 'newer_version', '1.0')
  for (const name of sectionNames)
    if (!sections.some(({ section }) => section === name)) reportFile('missing_section', `## ${sectionHeadings[name]}`)
  for (const at of unknown) report(at, 'unknown_section')
  if (openFence !== undefined) report(openFence, 'open_fence')
  const seen = new Set<string>()
  const seenSections = new Set<string>()
  for (const { section, at, items, others } of sections) {
    if (seenSections.has(section)) report(at, 'repeated_section')
    seenSections.add(section)
    for (const index of others) report(index, 'not_an_item', sectionForms[section])
    for (const item of items) {
      if (item.problem !== undefined) report(item.at, item.problem, sectionForms[section])
      if (item.text.length > LONGEST_MEMORY_LINE) report(item.at, 'too_long')
      if (seen.has(item.key)) report(item.at, 'repeated_item')
      seen.add(item.key)
    }
  }
  document.forEach(({ raw }, at) => {
    if (hasHiddenCharacters(at === 0 ? raw.replace(/^\uFEFF/, '') : raw)) report(at, 'control_characters')
    if (isSecret(raw.slice(0, MOST_LOOKED_AT))) report(at, 'secret')
  })
  if (document.length > MOST_LINES) reportFile('large_file', String(MOST_LINES))
  return problems.sort((one, other) => one.line - other.line)
}
