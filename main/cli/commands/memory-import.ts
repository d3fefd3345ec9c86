/** `metona memory import FILE`: lines as `metona memory list --json` prints them, each checked as if it were added by hand. */
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { MemoryDraftSchema, type MemoryDraft } from '#contracts/metona/memory-entry.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { UsageError } from '../arguments.ts'
import type { CommandContext } from '../command-context.ts'
import { errorEntry } from '../error-table.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp } from '../open-app.ts'

/** What a line says itself. Its id and source there mean nothing here, and only a person pins: a file does not. */
const LineSchema = MemoryDraftSchema.omit({ source: true, pinned: true })
/** Says something of the line; any other failure ends the import, and what is in is skipped the next time. */
const OF_THE_LINE: ReadonlySet<string> = new Set(['SECRET_IN_MEMORY', 'MEMORY_TEXT', 'BAD_INPUT'])

/** Ends with 1 when a line was refused; the others are remembered all the same. */
export async function importMemories(context: CommandContext): Promise<ExitCode> {
  const file = context.arguments.words[0] as string
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError('FILE_UNREADABLE', { file, reason: error.code ?? error.message })
  })
  // Other encodings read as UTF-8 are words nobody wrote, and nobody could have back.
  if (!isUtf8(bytes)) throw new UsageError('FILE_UNREADABLE', { file, reason: context.text.notUtf8 })
  const content = bytes.toString('utf8')
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const trust = context.arguments.flags.has('trust') ? 'once' : 'stored'
    const { workspace } = await client.call('workspace.open', { path: context.folder, mode: 'write', trust })
    const counts = { added: 0, present: 0, refused: 0 }
    const refuse = (line: number, code: string, reason: string): void => {
      counts.refused++
      if (context.json) context.out.line(JSON.stringify({ line, code }))
      else context.err.line(`${file}:${line}: ${reason}`)
    }
    for (const [index, text] of content
      .replace(/^\uFEFF/, '')
      .split('\n')
      .entries()) {
      if (text.trim() === '') continue
      const draft = readLine(text)
      if (typeof draft === 'string') {
        refuse(index + 1, draft, context.text[PROBLEMS[draft]])
        continue
      }
      try {
        const { added } = await client.call('memory.add', { workspace, item: draft })
        counts[added ? 'added' : 'present']++
      } catch (thrown) {
        const { code } = toErrorData(thrown)
        if (!OF_THE_LINE.has(code)) throw thrown
        refuse(index + 1, code, errorEntry(code)[context.language].split('\n', 1)[0] ?? code)
      }
    }
    context.out.line(context.json ? JSON.stringify(counts) : fill(context.text.memoryImported, counts))
    return counts.refused === 0 ? ExitCode.DONE : ExitCode.FAILED
  })
}

const PROBLEMS = {
  NOT_JSON: 'memoryLineNoJson',
  NO_MEMORY: 'memoryLineNoItem',
  OF_A_SESSION: 'memoryLineWorking',
  EXPIRED: 'memoryLineExpired',
} as const

function readLine(text: string): MemoryDraft | keyof typeof PROBLEMS {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Told of with its number.
    return 'NOT_JSON'
  }
  const line = LineSchema.safeParse(value)
  if (!line.success) return 'NO_MEMORY'
  const draft = line.data
  if (draft.type === 'working') return 'OF_A_SESSION'
  if (draft.expiresAt !== undefined && draft.expiresAt <= Date.now()) return 'EXPIRED'
  return { ...draft, source: 'imported' }
}
