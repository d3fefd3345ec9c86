/** What every tool that takes a path checks before anything runs. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import type { RuleSubject } from '#contracts/tools/permission-rule.ts'
import { protectionOf } from '../domain/protected-paths.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { Permit, PrepareContext, Preparation } from '../define-tool.ts'
import { isKernelPath, isStandIn, openPath } from '../files/open-path.ts'
import { holdsToken } from '../files/holds-token.ts'
import type { OpenedPath } from '../files/opened-path.ts'
import { below } from '../files/walk-linux.ts'

/** For tools that look: outside the workspace asks, kernel trees never, places with secrets ask. */
export async function prepareReading(context: PrepareContext, requested: string, verb: string): Promise<Preparation> {
  const path = await openPath(context.place.workspace, requested)
  try {
    const permit: Permit = { realPath: path.realPath, inside: path.inside }
    const mustAsk = await reasonToAskForReading(context, path)
    const secret = await secretPath(path)
    const place = path.inside && path.segments.join('/') === requested ? requested : path.realPath
    return {
      display: `${verb} ${place}`,
      permit,
      subjects: [subjectOf(path)],
      ...(secret === undefined ? {} : { secret }),
      ...(mustAsk === undefined ? {} : { mustAsk }),
    }
  } finally {
    await path.close()
  }
}

/** The path as rules name it: below the workspace, or absolute. */
export function subjectOf(path: OpenedPath): RuleSubject {
  return { text: path.inside ? path.segments.join('/') || '.' : path.realPath }
}

export async function reasonToAskForReading(context: PrepareContext, path: OpenedPath): Promise<ApprovalReason | undefined> {
  requireNoKernelPath(path)
  if (isOwnOutput(context, path)) return undefined
  if (!path.inside) return { code: 'outside_workspace', params: { path: path.realPath } }
  const protection = protectionOf(path.segments, 'read')
  const params = { path: path.segments.join('/') }
  if (protection?.level === 'ask') return { code: protection.code, params }
  if (await mayHoldSecrets(path, path.segments)) return { code: 'holds_credentials', params }
  return isForeignHardLink(path) ? { code: 'foreign_hard_link', params } : undefined
}

/** The path where what it leads to may hold secrets, inside the workspace or not. */
export async function secretPath(path: OpenedPath): Promise<string | undefined> {
  const segments = path.inside ? path.segments : path.realPath.split(/[/\\]/).filter((segment) => segment !== '')
  if (!(await mayHoldSecrets(path, segments))) return undefined
  return path.inside ? segments.join('/') : path.realPath
}

/** By its name, or by its text where the name alone does not say: what the sandbox masks. */
async function mayHoldSecrets(path: OpenedPath, segments: readonly string[]): Promise<boolean> {
  return protectionOf(segments, 'read')?.level === 'ask' || (path.kind === 'file' && (await holdsToken(path.realPath, segments)))
}

/** When running: the same object that was shown, or an error that says so. */
export function requirePermitted(context: { readonly permit: Permit | undefined }, path: OpenedPath, requested: string): void {
  requireNoKernelPath(path)
  if (path.inside) return
  if (context.permit?.inside === false && context.permit.realPath === path.realPath) return
  throw new ToolError(
    'PATH_CHANGED',
    `${requested} now leads to ${path.realPath}, outside the workspace, which was not what was asked for. Nothing was read or written.`,
  )
}

/** Well below the deadline of a preparation. */
const HELD_WAIT_MS = 5_000
const HELD_POLL_MS = 100

export interface WritePreparation {
  readonly path: OpenedPath
  readonly mustAsk: ApprovalReason | undefined
}

/** For tools that write: only inside, never into the app's or git's own files. The caller closes `path`. */
export async function openForChange(context: PrepareContext, requested: string): Promise<WritePreparation> {
  const path = await openUnheld(context, requested)
  try {
    requireNoKernelPath(path)
    if (!path.inside)
      throw new ToolError(
        'OUTSIDE_WORKSPACE',
        `${requested} is outside the workspace (${path.realPath}). Files can only be written inside it; choose a path below the workspace.`,
      )
    if (path.segments.length === 0) throw new ToolError('NOT_A_FILE', `${requested} is the workspace itself, a folder.`)
    if (isStandIn(path)) throw heldName(context, requested)
    const protection = protectionOf(path.segments, 'write')
    if (protection?.level === 'refuse')
      throw new ToolError('PROTECTED', `${path.segments.join('/')} may not be written: ${protection.reason}.`)
    const code = protection?.code ?? (isForeignHardLink(path) ? 'foreign_hard_link' : undefined)
    return { path, mustAsk: code === undefined ? undefined : { code, params: { path: path.segments.join('/') } } }
  } catch (error) {
    await path.close()
    throw error
  }
}

/** A name that a command of the sandbox holds is free again when the command is over: commands in the foreground are waited for. */
async function openUnheld(context: PrepareContext, requested: string): Promise<OpenedPath> {
  for (let waited = 0; ; waited += HELD_POLL_MS) {
    const path = await openPath(context.place.workspace, requested)
    if (!isStandIn(path) || waited >= HELD_WAIT_MS || context.services.background.running() > 0) return path
    await path.close()
    await delay(HELD_POLL_MS)
  }
}

function heldName(context: PrepareContext, requested: string): ToolError {
  const running = context.services.background.ofSession(context.place.sessionId).filter((entry) => entry.finished === undefined)
  const what =
    running.length === 0
      ? 'Try again when the command or server of this folder that still runs is over.'
      : `Stop ${running.map((entry) => entry.id).join(', ')} with stop_command, write it, and start the command again.`
  return new ToolError(
    'HELD_NAME',
    `${requested} cannot be written now: a command that runs in the sandbox may not make this name, so an empty folder is there while it runs. ${what}`,
  )
}

function requireNoKernelPath(path: OpenedPath): void {
  if (isKernelPath(path.realPath))
    throw new ToolError('SPECIAL_FILE', `${path.realPath} belongs to the kernel or to devices and is never read or written by tools.`)
}

function isOwnOutput(context: PrepareContext, path: OpenedPath): boolean {
  const names = below(context.services.outputs.folder, path.realPath)
  return names !== undefined && names[0] === context.place.sessionId
}

function isForeignHardLink(path: OpenedPath): boolean {
  return (
    path.kind === 'file' &&
    path.stats !== undefined &&
    path.stats.nlink > 1 &&
    process.getuid !== undefined &&
    path.stats.uid !== process.getuid()
  )
}
