import type { MemoryFile } from '#contracts/metona/memory-file.ts'
import { checkMemoryDocument } from '../domain/check-memory-document.ts'
import { parseMemory, readDocument } from '../domain/memory-document.ts'
import { isOtherVersion } from '../domain/memory-operations.ts'
import type { MemoryFileReading } from './memory-file-io.ts'

/** The file as people and commands see it. */
export function viewMemoryFile(reading: MemoryFileReading, isSecret: (text: string) => boolean): MemoryFile {
  if (reading.state !== 'ready') {
    const problems: MemoryFile['problems'] = reading.state === 'read_only' ? [{ line: 0, code: 'not_utf8', text: '' }] : []
    return { state: reading.state, sections: [], problems }
  }
  const document = parseMemory(reading.text)
  const { header, sections } = readDocument(document)
  return {
    state: isOtherVersion(header.version?.value) ? 'read_only' : 'ready',
    ...(header.version === undefined ? {} : { version: header.version.value }),
    ...(header.created === undefined ? {} : { createdAt: header.created.value }),
    ...(header.updated === undefined ? {} : { updatedAt: header.updated.value }),
    sections: sections.map(({ section, heading, items }) => ({
      section,
      heading,
      items: items.map(({ at, text, problem, status }) => ({
        line: at + 1,
        text,
        valid: problem === undefined,
        ...(status === undefined ? {} : { status }),
      })),
    })),
    problems: checkMemoryDocument(document, isSecret),
  }
}
