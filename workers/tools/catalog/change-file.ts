/** What write_file and edit_file share: the plan shown before, and the guarded write after. */
import { ToolError } from '../domain/tool-error.ts'
import { WORKSPACE_FILES } from '#contracts/workspace/workspace-file.ts'
import { textOfBytes } from '#workers/shared/workspace-file.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import type { PrepareContext, Preparation, RunContext, ToolOutput } from '../define-tool.ts'
import { hashBytes, stampFromStats, type GuardVerdict } from '../files/file-guard.ts'
import type { OpenedPath } from '../files/opened-path.ts'
import { openForChange, subjectOf } from './path-preparation.ts'
import type { TextFile } from '../text/text-file.ts'

/** The new text for a file; `undefined` stands for a file that does not exist. Throws ToolError when it cannot be. */
export type Change = (file: TextFile | undefined) => string

export interface ChangeOptions {
  readonly requested: string
  readonly change: Change
  /** Whether a file this session never read may be changed (an exact edit proves what is there). */
  readonly mayBeUnread: boolean
}

const DISPLAY_LIMIT = 400_000

export async function prepareChange(context: PrepareContext, options: ChangeOptions): Promise<Preparation> {
  const { path, mustAsk } = await openForChange(context, options.requested)
  try {
    const plan = await planChange(path, options)
    await requireGuard(context, path, options, plan.file)
    const diff = await diffOf(path, plan.file, plan.text)
    const display =
      diff.text.length > DISPLAY_LIMIT
        ? `${diff.text.slice(0, DISPLAY_LIMIT)}\n[… ${diff.text.length - DISPLAY_LIMIT} more characters]`
        : diff.text
    return {
      display: plan.file === undefined ? `New file ${path.segments.join('/')}\n${display}` : display,
      diff: true,
      permit: { realPath: path.realPath, inside: true, baseHash: plan.file?.version.hash ?? null },
      subjects: [subjectOf(path)],
      ...(mustAsk === undefined ? { sessionGrant: 'edits' as const } : { mustAsk }),
    }
  } finally {
    await path.close()
  }
}

export async function runChange(context: RunContext, options: ChangeOptions): Promise<ToolOutput> {
  const first = await openForChange(context, options.requested)
  await first.path.close()
  return context.services.guard.exclusively(first.path.realPath, async () => {
    context.signal.throwIfAborted()
    const { path } = await openForChange(context, options.requested)
    try {
      if (context.permit?.realPath !== undefined && context.permit.realPath !== path.realPath)
        throw new ToolError(
          'PATH_CHANGED',
          `${options.requested} now leads to ${path.realPath}, not to what was shown. Nothing was written; try again.`,
        )
      const plan = await planChange(path, options)
      await requireGuard(context, path, options, plan.file)
      requireShownBase(context, options, plan.file)
      return await write(context, path, options, plan)
    } finally {
      await path.close()
    }
  })
}

interface Plan {
  readonly file: TextFile | undefined
  readonly text: string
  readonly bytes: Uint8Array
}

async function planChange(path: OpenedPath, options: ChangeOptions): Promise<Plan> {
  const { readTextFile, encodeLike } = await import('../text/text-file.ts')
  if (path.kind !== 'missing' && path.kind !== 'file')
    throw new ToolError(
      path.kind === 'folder' ? 'NOT_A_FILE' : 'SPECIAL_FILE',
      `${options.requested} is ${path.kind === 'folder' ? 'a folder' : 'a pipe, socket or device'}, not a file. Choose another path.`,
    )
  const file = path.kind === 'file' ? await readTextFile(path, options.requested) : undefined
  const text = options.change(file)
  const like = file?.text === undefined ? { encoding: 'utf-8' as const, bom: false } : file
  return { file, text, bytes: await encodeLike(text, like, options.requested) }
}

/** The write happens on what the approval showed, or not at all. */
function requireShownBase(context: RunContext, options: ChangeOptions, file: TextFile | undefined): void {
  const shown = context.permit?.baseHash
  if (shown === undefined || shown === (file?.version.hash ?? null)) return
  throw new ToolError(
    'CHANGED_SINCE_SHOWN',
    `${options.requested} changed after this change was shown and before it was made. Nothing was written. Read the file again and repeat the change.`,
  )
}

async function requireGuard(context: PrepareContext, path: OpenedPath, options: ChangeOptions, file: TextFile | undefined): Promise<void> {
  if (file === undefined) return
  const verdict = context.services.guard.check(context.place.sessionId, path.realPath, file.version)
  if (verdict.kind === 'unchanged' || (verdict.kind === 'never_read' && options.mayBeUnread)) return
  if (verdict.kind === 'never_read')
    throw new ToolError(
      'NOT_READ',
      `${options.requested} exists and was not read in this session. Read it with read_file first, so that nothing in it is lost unseen.`,
    )
  throw await conflict(path, options.requested, verdict, file)
}

async function conflict(
  path: OpenedPath,
  requested: string,
  verdict: Extract<GuardVerdict, { kind: 'changed' }>,
  file: TextFile,
): Promise<ToolError> {
  const { decodeAll } = await import('../text/text-codec.ts')
  const who =
    verdict.by === undefined
      ? 'another program'
      : `session ${verdict.by.sessionId} (call ${verdict.by.callId}, ${new Date(verdict.by.at).toISOString()})`
  let difference = ''
  if (verdict.before !== undefined && file.text !== undefined) {
    const { unifiedDiff } = await import('../text/unified-diff.ts')
    const { text } = await unifiedDiff(path.segments.join('/'), await decodeAll(verdict.before, file.encoding), file.text)
    difference = `\nWhat changed since:\n${text.length > 8000 ? `${text.slice(0, 8000)}\n[… cut]` : text}`
  }
  return new ToolError(
    'FILE_CHANGED',
    `${requested} was changed by ${who} after this session last read it. Nothing was written. Read it again and redo your change on top of it.${difference}`,
    {
      kind: 'conflict',
      path: path.segments.join('/'),
      by: verdict.by?.sessionId ?? null,
      diff: visibleText(difference),
    },
  )
}

async function diffOf(
  path: OpenedPath,
  file: TextFile | undefined,
  text: string,
): Promise<{ text: string; added: number; removed: number }> {
  const { unifiedDiff } = await import('../text/unified-diff.ts')
  if (file !== undefined && file.text === undefined)
    return {
      text: `--- ${path.segments.join('/')}\n[binary file of ${file.version.bytes.length} bytes is replaced]\n`,
      added: 0,
      removed: 0,
    }
  return unifiedDiff(path.segments.join('/'), file?.text ?? '', text)
}

async function write(context: RunContext, path: OpenedPath, options: ChangeOptions, plan: Plan): Promise<ToolOutput> {
  const { writeWholeFile } = await import('../files/write-file.ts')
  const { realpath, stat } = await import('node:fs/promises')
  const root = await realpath(context.place.workspace)
  const diff = await diffOf(path, plan.file, plan.text)
  const shown = path.segments.join('/')
  await context.services.checkpoints.keep(
    root,
    context.place.sessionId,
    {
      callId: context.callId,
      at: context.services.now(),
      path: shown,
      before: plan.file?.version.hash ?? null,
      ...(path.stats === undefined ? {} : { mode: path.stats.mode & 0o7777 }),
      after: hashBytes(plan.bytes),
    },
    plan.file?.version.bytes,
  )
  await writeWholeFile(path, { root, requested: options.requested, bytes: plan.bytes })
  const stats = await stat(path.realPath, { bigint: true })
  const version = { stamp: stampFromStats(stats), hash: hashBytes(plan.bytes), bytes: plan.bytes }
  context.services.guard.noteWrite(
    path.realPath,
    { sessionId: context.place.sessionId, callId: context.callId, at: context.services.now() },
    version,
  )
  const verb = plan.file === undefined ? 'Created' : 'Changed'
  const kept = plan.file?.text === undefined ? '' : describeKept(plan.file)
  const speaks = path.segments.at(-1) === 'AGENTS.md' || (WORKSPACE_FILES as readonly string[]).includes(shown)
  const before = plan.file === undefined ? '' : textOfBytes(Buffer.from(plan.file.version.bytes))
  return {
    // Only what the diff showed whole.
    ...(speaks && diff.text.length <= DISPLAY_LIMIT
      ? {
          written: {
            before: { name: shown, text: before, changedAt: path.stats?.ctimeMs ?? 0 },
            after: textOfBytes(Buffer.from(plan.bytes)),
          },
        }
      : {}),
    result: `${verb} ${shown}: +${diff.added} -${diff.removed} lines, ${plan.bytes.length} bytes${kept}.`,
    display: {
      kind: 'diff',
      path: shown,
      created: plan.file === undefined,
      added: diff.added,
      removed: diff.removed,
      diff: diff.text.length > DISPLAY_LIMIT ? diff.text.slice(0, DISPLAY_LIMIT) : diff.text,
    },
  }
}

function describeKept(file: TextFile): string {
  const kept = [
    ...(file.encoding === 'utf-8' ? [] : [file.encoding.toUpperCase()]),
    ...(file.bom ? ['the byte order mark'] : []),
    ...(file.crlf ? ['CRLF line ends'] : []),
  ]
  return kept.length === 0 ? '' : `, keeping ${kept.join(', ')}`
}

/** Used by both tools: text with LF takes the file's CRLF. */
export function withLineEndsOf(text: string, file: TextFile | undefined): string {
  return file?.crlf === true ? text.replace(/\r?\n/g, '\r\n') : text
}
