/** `metona config`: settings of the person (profile) and preferences of a folder (workspace). */
import { access } from 'node:fs/promises'
import path from 'node:path'
import type { ConfigEntry } from '#contracts/workspace/config-keys.ts'
import { UsageError } from '../arguments.ts'
import type { Client } from '../client.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp } from '../open-app.ts'

export function listConfig(context: CommandContext): Promise<ExitCode> {
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    for (const entry of await readEntries(context, client))
      context.out.line(context.json ? JSON.stringify(entry) : `${describe(context, entry)}  # ${entry.description[context.language]}`)
    return ExitCode.DONE
  })
}

export function getConfig(context: CommandContext): Promise<ExitCode> {
  const key = context.arguments.words[0] as string
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const entry = (await readEntries(context, client)).find((candidate) => candidate.key === key)
    if (entry === undefined) throw new UsageError('UNKNOWN_KEY', { key })
    context.out.line(context.json ? JSON.stringify(entry) : show(entry.value))
    return ExitCode.DONE
  })
}

export function setConfig(context: CommandContext): Promise<ExitCode> {
  const [key, text] = context.arguments.words as [string, string]
  return withApp(
    context,
    { warm: ['storage'] },
    async ({ client }) => {
      const known = (await client.call('config.list', {})).entries
      if (!known.some((entry) => entry.key === key)) throw new UsageError('UNKNOWN_KEY', { key })
      const workspace = await openFor(context, client, 'write')
      const entry = await client.call('config.set', { ...(workspace === undefined ? {} : { workspace }), key, value: parseValue(text) })
      context.out.line(context.json ? JSON.stringify(entry) : describe(context, entry))
      return ExitCode.DONE
    },
    { key, value: text },
  )
}

async function readEntries(context: CommandContext, client: Client): Promise<ConfigEntry[]> {
  const workspace = await openFor(context, client, 'read')
  return (await client.call('config.list', workspace === undefined ? {} : { workspace })).entries
}

/**
 * The folder is meant when `-w` names one, or when the current one has been a workspace before; else, and
 * with `--profile`, the person's own settings.
 */
async function openFor(context: CommandContext, client: Client, mode: 'read' | 'write'): Promise<string | undefined> {
  const { flags, values } = context.arguments
  if (flags.has('profile') && values['workspace'] !== undefined)
    throw new UsageError('OPTIONS_CLASH', { left: '--profile', right: '--workspace' })
  if (flags.has('profile')) return undefined
  if (values['workspace'] === undefined && !(await exists(path.join(context.folder, '.metona', 'agent.db')))) return undefined
  return (await client.call('workspace.open', { path: context.folder, mode, trust: flags.has('trust') ? 'once' : 'stored' })).workspace
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** JSON where it is JSON, else the text as it stands: `50`, `true`, `null`, `deepseek/deepseek-chat`. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function describe({ text }: CommandContext, { key, value, source }: ConfigEntry): string {
  const scope = { default: text.scopeDefault, profile: text.scopeProfile, workspace: text.scopeWorkspace }[source]
  return fill(text.configSet, { key, value: show(value), scope })
}
