/** Changes of MEMORY.md. Every line an operation does not speak of stays as it is, byte for byte. */
import { LONGEST_MEMORY_LINE, type MemoryOperation, type MemorySection } from '#contracts/metona/memory-file.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { readDocument, type DocumentItem, type DocumentLine, type DocumentSection, type MemoryDocument } from './memory-document.ts'
import { keyOf, readItem, sectionForms, sectionHeadings, withStatus } from './memory-sections.ts'
import { problemTexts, textProblem } from './memory-text.ts'

export const MEMORY_VERSION = '1.0'

export interface OperationPlace {
  readonly workspace: string
  /** ISO 8601; must differ from that of every earlier change, because it tells an editor's copy from a newer one. */
  readonly now: string
  /** Throws an AppError for a text that must not be written, beyond what is refused here. */
  readonly check?: ((text: string) => void) | undefined
}

/** Any version that is not surely ours: such a file is read, never changed. One that names none is ours. */
export function isOtherVersion(version: string | undefined): boolean {
  const plain = (version ?? '').normalize('NFKC').trim()
  return plain !== '' && !/^1(?:\.0)?$/.test(plain)
}

/**
 * The document after the operation; the same object when it changes nothing.
 * @throws AppError MEMORY_READ_ONLY, MEMORY_FORM (with the form expected), MEMORY_TEXT, SECRET_IN_MEMORY, MEMORY_ITEM_NOT_FOUND, MEMORY_ITEM_TWICE
 */
export function applyOperation(document: MemoryDocument, operation: MemoryOperation, place: OperationPlace): MemoryDocument {
  const { header } = readDocument(document)
  if (isOtherVersion(header.version?.value))
    throw new AppError({
      code: 'MEMORY_READ_ONLY',
      message: `MEMORY.md has format version ${header.version?.value ?? ''}; this version writes ${MEMORY_VERSION} and leaves it alone`,
      params: { version: header.version?.value ?? '' },
    })
  const changed = change(document, operation, place)
  return changed === document ? document : stamped(changed, place)
}

function change(document: MemoryDocument, operation: MemoryOperation, place: OperationPlace): MemoryDocument {
  switch (operation.kind) {
    case 'add': {
      checkItem(document, operation.section, operation.text, place)
      if (itemsWith(document, operation.section, operation.text).length > 0) return document
      return addLine(document, operation.section, `- ${operation.text}`)
    }
    case 'set_status': {
      const item = onlyItem(document, 'todo', operation.text)
      return item.status === operation.status ? document : withLine(document, item.at, `- ${withStatus(item.text, operation.status)}`)
    }
    // What else belongs to the item stays with it: the operation speaks of its first line.
    case 'replace': {
      checkItem(document, operation.section, operation.newText, place)
      const item = onlyItem(document, operation.section, operation.oldText)
      return item.text === operation.newText ? document : withLine(document, item.at, `- ${operation.newText}`)
    }
    case 'remove': {
      const item = onlyItem(document, operation.section, operation.text)
      return withoutLines(document, item)
    }
  }
}

function checkItem(document: MemoryDocument, section: MemorySection, text: string, place: OperationPlace): void {
  place.check?.(text)
  // It would end a comment that somebody began further up, and all between would be gone for everybody who reads the file.
  const endsComment = text.includes('-->') && readDocument(document).openComment !== undefined
  const problem = /[\r\n]/.test(text) ? 'control_characters' : endsComment ? 'prompt_tag' : textProblem(text, LONGEST_MEMORY_LINE)
  if (problem !== undefined)
    throw new AppError({
      code: problem === 'secret' ? 'SECRET_IN_MEMORY' : 'MEMORY_TEXT',
      message: `Not remembered: ${problemTexts[problem]}.`,
      params: { problem, reason: problemTexts[problem], longest: LONGEST_MEMORY_LINE },
    })
  if (readItem(section, text).problem !== undefined)
    throw new AppError({
      code: 'MEMORY_FORM',
      message: `Not written: an item of this section has the form "${sectionForms[section]}"`,
      params: { section, form: sectionForms[section], text },
    })
}

function itemsWith(document: MemoryDocument, section: MemorySection, text: string): DocumentItem[] {
  const key = keyOf(section, text)
  return readDocument(document).sections.flatMap((found) =>
    found.section === section ? found.items.filter((item) => item.key === key) : [],
  )
}

function onlyItem(document: MemoryDocument, section: MemorySection, text: string): DocumentItem {
  const [item, ...more] = itemsWith(document, section, text)
  if (item === undefined)
    throw new AppError({ code: 'MEMORY_ITEM_NOT_FOUND', message: `there is no such item in ${sectionHeadings[section]}`, params: { text } })
  if (more.length > 0)
    throw new AppError({ code: 'MEMORY_ITEM_TWICE', message: `the item is there ${more.length + 1} times`, params: { text } })
  return item
}

/** Behind the section's last item and what belongs to it, else behind its explanations; a section that is missing is made at the end. */
function addLine(document: MemoryDocument, section: MemorySection, raw: string): MemoryDocument {
  const found = readDocument(document).sections.find((candidate) => candidate.section === section)
  const end = endOf(document)
  if (found !== undefined) return insert(document, placeIn(document, found), [{ raw, end }])
  const last = document.at(-1)
  const gap: DocumentLine[] = last === undefined || last.raw.trim() === '' ? [] : [{ raw: '', end }]
  return insert(document, document.length, [...gap, { raw: `## ${sectionHeadings[section]}`, end }, { raw, end }])
}

function placeIn(document: MemoryDocument, section: DocumentSection): number {
  const last = section.items.at(-1)
  if (last !== undefined) return last.end
  let at = section.end
  while (at > section.at + 1 && (document[at - 1]?.raw ?? '').trim() === '') at--
  return at
}

/** A last line without an end gets one when something comes behind it, and the new last line has none then. */
function insert(document: MemoryDocument, at: number, lines: readonly DocumentLine[]): MemoryDocument {
  const before = document.slice(0, at)
  const after = document.slice(at)
  const last = before.at(-1)
  if (last === undefined || last.end !== '') return [...before, ...lines, ...after]
  const fresh = lines.map((line, index) => (index === lines.length - 1 ? { ...line, end: '' as const } : line))
  return [...before.slice(0, -1), { ...last, end: endOf(document) }, ...fresh]
}

function withLine(document: MemoryDocument, at: number, raw: string): MemoryDocument {
  return document.map((line, index) => (index === at ? { ...line, raw } : line))
}

function withoutLines(document: MemoryDocument, { at, end }: Pick<DocumentItem, 'at' | 'end'>): MemoryDocument {
  const rest = document.filter((_line, index) => index < at || index >= end)
  // The file ended without a line break, and still does.
  if (end === document.length && document.at(-1)?.end === '' && rest.length > 0)
    return rest.map((line, index) => (index === rest.length - 1 ? { ...line, end: '' as const } : line))
  return rest
}

/** How most of the file's lines end. */
function endOf(document: MemoryDocument): '\n' | '\r\n' | '\r' {
  const count = (end: string): number => document.filter((line) => line.end === end).length
  const [lf, crlf, cr] = [count('\n'), count('\r\n'), count('\r')]
  return crlf > lf && crlf >= cr ? '\r\n' : cr > lf ? '\r' : '\n'
}

/** The time of the change goes into the header; a file without any header gets one. */
function stamped(document: MemoryDocument, { workspace, now }: OperationPlace): MemoryDocument {
  const { header } = readDocument(document)
  const { updated } = header
  if (updated !== undefined)
    return document.map((line, index) =>
      index === updated.at ? { ...line, raw: `${/^.*?[:：]\s*/.exec(line.raw)?.[0] ?? ''}${now}` } : line,
    )
  const anchor = header.created ?? header.version
  const end = endOf(document)
  if (anchor !== undefined) return insert(document, anchor.at + 1, [{ raw: `# 最后更新: ${now}`, end }])
  const place = workspace.replace(/[\r\n]/g, ' ')
  const lines = [
    '# MEMORY.md — AI 持久记忆',
    '#',
    `# 格式版本: ${MEMORY_VERSION}`,
    `# 创建时间: ${now}`,
    `# 最后更新: ${now}`,
    `# 工作空间: ${place}`,
  ]
  const [first, ...rest] = document
  const mark = first?.raw.startsWith('\uFEFF') === true ? '\uFEFF' : ''
  const gap = document.length === 0 || first?.raw.trim() === '' ? [] : ['']
  return [
    ...[...lines, ...gap].map((raw, index) => ({ raw: index === 0 ? mark + raw : raw, end })),
    ...(first === undefined ? [] : [{ ...first, raw: first.raw.slice(mark.length) }, ...rest]),
  ]
}
