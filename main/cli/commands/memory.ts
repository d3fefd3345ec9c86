/** `metona memory …`: what is remembered in a folder. Reading needs no trust and takes no lock. */
import type { MemoryProblem, MemorySection } from '#contracts/metona/memory-file.ts'
import type { MemoryDraft } from '#contracts/metona/memory-entry.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import type { Messages } from '../messages-en.ts'
import { withApp } from '../open-app.ts'
import { firstLine } from '../plain-text.ts'
import { openToRead } from '../read-session.ts'
import { printTable } from '../table.ts'

const STORAGE = { warm: ['storage'] } as const
const PAGE = 500
const MOST_HITS = 50

export function listMemories(context: CommandContext): Promise<ExitCode> {
  const type = context.arguments.values['type'] as MemoryDraft['type']
  return withApp(context, STORAGE, async ({ client }) => {
    const workspace = await openToRead(context, client)
    const rows: string[][] = []
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = await client.call('memory.list', { workspace, limit: PAGE, offset, ...(type === undefined ? {} : { type }) })
      total = page.total
      for (const item of page.items)
        if (context.json) context.out.line(JSON.stringify(item))
        else
          rows.push([
            item.id,
            item.type,
            item.pinned ? context.text.memoryPinned : '',
            new Date(item.createdAt).toISOString().slice(0, 10),
            firstLine(item.content, 80),
          ])
    }
    if (!context.json && rows.length === 0) context.err.line(fill(context.text.noMemories, { workspace }))
    else if (!context.json) printTable(context.out, context.text.memoriesHeader, rows)
    return ExitCode.DONE
  })
}

export function addMemory(context: CommandContext): Promise<ExitCode> {
  const content = context.arguments.words.join(' ')
  const { type, section } = context.arguments.values
  const { flags } = context.arguments
  return withApp(context, STORAGE, async ({ client }) => {
    const trust = flags.has('trust') ? 'once' : 'stored'
    const { workspace } = await client.call('workspace.open', { path: context.folder, mode: 'write', trust })
    if (section !== undefined) {
      const operation = { kind: 'add', section: section as MemorySection, text: content } as const
      const { changed } = await client.call('memory.changeFile', { workspace, operation })
      context.out.line(context.json ? JSON.stringify({ changed }) : changed ? context.text.memoryWritten : context.text.memoryThere)
      return ExitCode.DONE
    }
    const { item, added, changed } = await client.call('memory.add', {
      workspace,
      item: {
        content,
        source: 'user_input',
        type: (type ?? 'semantic') as 'semantic' | 'episodic',
        ...(flags.has('pin') ? { pinned: true } : {}),
      },
    })
    if (context.json) context.out.line(JSON.stringify({ ...item, added, changed }))
    else if (added) context.out.line(fill(context.text.memoryAdded, { id: item.id }))
    else context.out.line(changed ? fill(context.text.memoryThereChanged, { id: item.id }) : context.text.memoryThere)
    return ExitCode.DONE
  })
}

export function searchMemories(context: CommandContext): Promise<ExitCode> {
  const query = context.arguments.words.join(' ')
  return withApp(context, STORAGE, async ({ client }) => {
    const workspace = await openToRead(context, client)
    const { hits } = await client.call('memory.search', { workspace, query, purpose: 'everything', limit: MOST_HITS })
    for (const hit of hits)
      context.out.line(context.json ? JSON.stringify(hit) : `${hit.id}\t${hit.relevanceScore.toFixed(2)}\t${firstLine(hit.content, 160)}`)
    if (hits.length === 0 && !context.json) context.err.line(fill(context.text.noHits, { query }))
    return ExitCode.DONE
  })
}

/** Ends with 1 when MEMORY.md holds something that is not in its form. */
export function checkMemory(context: CommandContext): Promise<ExitCode> {
  return withApp(context, STORAGE, async ({ client }) => {
    const workspace = await openToRead(context, client)
    const file = await client.call('memory.file', { workspace, items: true })
    if (context.json) for (const problem of file.problems) context.out.line(JSON.stringify(problem))
    else if (file.state !== 'ready')
      context.err.line(
        { absent: context.text.memoryAbsent, read_only: context.text.memoryReadOnly, unsafe: context.text.memoryUnsafe }[file.state],
      )
    if (!context.json)
      for (const { line, code, text, expected } of file.problems)
        context.out.line(
          `${code === 'withheld_memory' || code === 'foreign_pin' ? text : `MEMORY.md:${line}`}: ${problemText(context.text, code)}${expected === undefined ? '' : ` (${fill(context.text.memoryExpected, { form: expected })})`}`,
        )
    const items = file.sections.reduce((sum, section) => sum + section.items.length, 0)
    if (!context.json && file.state === 'ready')
      context.err.line(fill(context.text.memoryChecked, { items, problems: file.problems.length }))
    return file.problems.length === 0 && file.state !== 'unsafe' ? ExitCode.DONE : ExitCode.FAILED
  })
}

function problemText(text: Messages, code: MemoryProblem['code']): string {
  return {
    no_header: text.memoryNoHeader,
    newer_version: text.memoryNewer,
    bad_version: text.memoryBadVersion,
    not_utf8: text.memoryNotUtf8,
    missing_section: text.memoryMissingSection,
    repeated_section: text.memoryRepeatedSection,
    unknown_section: text.memoryUnknownSection,
    not_an_item: text.memoryNotAnItem,
    wrong_form: text.memoryWrongForm,
    bad_date: text.memoryBadDate,
    too_long: text.memoryTooLong,
    control_characters: text.memoryControl,
    repeated_item: text.memoryRepeatedItem,
    open_fence: text.memoryOpenFence,
    secret: text.memorySecret,
    large_file: text.memoryLarge,
    withheld_memory: text.memoryWithheld,
    foreign_pin: text.memoryForeignPin,
  }[code]
}
