/** `metona trust`: which folders may influence an agent. Kept in the profile, never in the folder. */
import path from 'node:path'
import { takeChangedFiles } from '../agree-files.ts'
import { UsageError } from '../arguments.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp } from '../open-app.ts'
import { printTable } from '../table.ts'

export async function trust(context: CommandContext): Promise<ExitCode> {
  const { flags, values, words } = context.arguments
  const { remove, revoke } = values
  // With `--grants` a folder says whose.
  const folder = words[0] ?? (flags.has('grants') ? undefined : values['workspace'])
  const chosen = [
    flags.has('list') ? '--list' : undefined,
    flags.has('grants') ? '--grants' : undefined,
    remove === undefined ? undefined : '--remove',
    revoke === undefined ? undefined : '--revoke',
    folder,
  ].filter((choice) => choice !== undefined)
  if (chosen.length > 1) throw new UsageError('OPTIONS_CLASH', { left: chosen[0] as string, right: chosen[1] as string })
  if (flags.has('list')) return listTrust(context)
  if (flags.has('grants')) return listGrants(context)
  if (revoke !== undefined) return revokeGrant(context, Number(revoke))
  if (remove !== undefined) return removeTrust(context, path.resolve(remove))
  if (folder === undefined) throw new UsageError('WORD_MISSING', { what: 'DIR' })
  return addTrust(context, path.resolve(folder))
}

function addTrust(context: CommandContext, folder: string): Promise<ExitCode> {
  return withApp(
    context,
    { warm: ['storage'] },
    async ({ client }) => {
      await takeChangedFiles(context, client, folder)
      const entry = await client.call('trust.add', { path: folder })
      context.out.line(context.json ? JSON.stringify(entry) : fill(context.text.trusted, entry))
      return ExitCode.DONE
    },
    { path: folder },
  )
}

function removeTrust(context: CommandContext, folder: string): Promise<ExitCode> {
  return withApp(
    context,
    { warm: ['storage'] },
    async ({ client }) => {
      const { removed } = await client.call('trust.remove', { path: folder })
      if (context.json) context.out.line(JSON.stringify({ path: folder, removed }))
      else context.out.line(fill(removed ? context.text.trustRemoved : context.text.trustNotListed, { path: folder }))
      return ExitCode.DONE
    },
    { path: folder },
  )
}

function listTrust(context: CommandContext): Promise<ExitCode> {
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const { entries } = await client.call('trust.list', {})
    for (const entry of entries) context.out.line(context.json ? JSON.stringify(entry) : `${entry.path}\t${entry.trustedAt}`)
    if (entries.length === 0 && !context.json) context.err.line(context.text.noTrust)
    return ExitCode.DONE
  })
}

function listGrants(context: CommandContext): Promise<ExitCode> {
  const workspace = context.arguments.values['workspace']
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const { grants } = await client.call('grants.list', workspace === undefined ? {} : { workspace: path.resolve(workspace) })
    if (context.json) for (const grant of grants) context.out.line(JSON.stringify(grant))
    else if (grants.length === 0) context.err.line(context.text.noGrants)
    else
      printTable(
        context.out,
        context.text.grantsHeader,
        grants.map(({ id, tool, prefix, workspace: folder, expiresAt }) => [String(id), tool, prefix, folder, expiresAt.slice(0, 10)]),
      )
    return ExitCode.DONE
  })
}

function revokeGrant(context: CommandContext, id: number): Promise<ExitCode> {
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const { removed } = await client.call('grants.remove', { id })
    if (context.json) context.out.line(JSON.stringify({ id, removed }))
    else context.out.line(fill(removed ? context.text.grantRemoved : context.text.grantNotThere, { id: String(id) }))
    return ExitCode.DONE
  })
}
