/** `metona mcp`: the MCP servers of a folder. Entries live in the folder, what may start lives in the profile. */
import { readFile } from 'node:fs/promises'
import type { McpServerInput } from '#contracts/session/mcp-commands.ts'
import type { McpServerView } from '#contracts/tools/mcp-server.ts'
import { UsageError } from '../arguments.ts'
import type { Client } from '../client.ts'
import type { CommandContext } from '../command-context.ts'
import { confirm } from '../confirm.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { indent } from '../indent.ts'
import { withApp } from '../open-app.ts'
import { plainText } from '../plain-text.ts'
import { readInput } from '../prompt-source.ts'
import { printTable } from '../table.ts'

interface Servers {
  readonly client: Client
  readonly workspace: string
}

export function listServers(context: CommandContext): Promise<ExitCode> {
  return withServers(context, async ({ client, workspace }) => {
    const { servers } = await client.call('mcp.list', { workspace })
    if (context.json) for (const server of servers) context.out.line(JSON.stringify(server))
    else if (servers.length === 0) context.err.line(fill(context.text.noMcp, { workspace }))
    else
      printTable(
        context.out,
        context.text.mcpHeader,
        servers.map((server) => [server.entry.name, stateName(context, server), toolCount(server), server.launch.split('\n')[0] ?? '']),
      )
    return ExitCode.DONE
  })
}

/** Words: `NAME [KEY=VALUE …] COMMAND [ARGUMENT …]`; with `--url` the name alone. */
export function addServer(context: CommandContext): Promise<ExitCode> {
  const server = readServer(context)
  return withServers(context, async ({ client, workspace }) => {
    const view = await client.call('mcp.add', { workspace, server })
    if (context.json) context.out.line(JSON.stringify(view))
    else context.out.line(fill(context.text.mcpAdded, { name: view.entry.name }))
    return ExitCode.DONE
  })
}

export function importServers(context: CommandContext): Promise<ExitCode> {
  const [file] = context.arguments.words as [string]
  return withServers(context, async ({ client, workspace }) => {
    const json = file === '-' ? await readInput() : await readFile(file, 'utf8')
    const { added, problems } = await client.call('mcp.import', { workspace, json })
    if (context.json) context.out.line(JSON.stringify({ added, problems }))
    else for (const { name } of added) context.out.line(fill(context.text.mcpAdded, { name }))
    if (!context.json)
      for (const { name, reason } of problems)
        context.err.line(fill(context.text.mcpNotAdded, { name: plainText(name), reason: plainText(reason) }))
    return problems.length === 0 ? ExitCode.DONE : ExitCode.FAILED
  })
}

export function removeServer(context: CommandContext): Promise<ExitCode> {
  const [name] = context.arguments.words as [string]
  return withServers(context, async ({ client, workspace }) => {
    const found = (await client.call('mcp.list', { workspace })).servers.find(({ entry }) => entry.name === name)
    // One that cannot be read is in no list; the notice about it gives its id.
    const { removed } = await client.call('mcp.remove', { workspace, id: found?.entry.id ?? name })
    context.out.line(context.json ? JSON.stringify({ name, removed }) : fill(context.text.mcpRemoved, { name }))
    return ExitCode.DONE
  })
}

/** First what it starts, then, once it runs, what the model would be told of its tools; each is agreed to by itself. */
export function approveServer(context: CommandContext): Promise<ExitCode> {
  const sure = context.arguments.flags.has('yes')
  if (!sure && !(process.stdin.isTTY && context.err.isTerminal)) throw new UsageError('NOT_CONFIRMED')
  return withServer(context, async ({ client, workspace }, server) => {
    const { id, name } = server.entry
    const { launchHash } = server
    const say = (text: string): void => context.err.line(plainText(text))
    if (server.approval !== 'given') {
      say(fill(context.text.mcpStarts, { name }))
      say(indent(server.launchDiff ?? server.launch))
      if (!sure && !(await confirm(context.text.mcpConfirmLaunch))) return ExitCode.REFUSED
    }
    const running = await client.call('mcp.approve', { workspace, id, launchHash }, 100_000)
    const { toolsHash } = running
    if (running.state !== 'ready' || toolsHash === undefined) return tell(context, running)
    const open = running.tools.filter(({ status }) => status === 'new' || status === 'changed')
    for (const tool of open) {
      say(`${tool.status === 'changed' ? '±' : '+'} ${tool.name}`)
      say(indent(tool.diff ?? tool.description))
    }
    if (open.length > 0 && !sure && !(await confirm(fill(context.text.mcpConfirmTools, { count: open.length })))) return ExitCode.REFUSED
    return tell(context, await client.call('mcp.approve', { workspace, id, launchHash, toolsHash }, 100_000))
  })
}

export function testServer(context: CommandContext): Promise<ExitCode> {
  return withServer(context, async ({ client, workspace }, { entry }) =>
    tell(context, await client.call('mcp.test', { workspace, id: entry.id }, 100_000)),
  )
}

function tell(context: CommandContext, server: McpServerView): ExitCode {
  const { failure } = server
  if (context.json) context.out.line(JSON.stringify(server))
  else {
    context.out.line(`${server.entry.name}\t${stateName(context, server)}\t${toolCount(server)}`)
    for (const tool of server.tools)
      context.out.line(`  ${tool.status}\t${tool.offeredAs}${tool.reason === undefined ? '' : `\t${plainText(tool.reason)}`}`)
    if (failure !== undefined) {
      context.err.line(plainText(failure.message))
      if (failure.stderr !== '') context.err.line(plainText(indent(failure.stderr)))
    }
  }
  return server.state === 'ready' ? ExitCode.DONE : ExitCode.FAILED
}

function withServers(context: CommandContext, work: (servers: Servers) => Promise<ExitCode>): Promise<ExitCode> {
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const { workspace } = await client.call('workspace.open', {
      path: context.folder,
      mode: 'write',
      trust: context.arguments.flags.has('trust') ? 'once' : 'stored',
    })
    return work({ client, workspace })
  })
}

function withServer(context: CommandContext, work: (servers: Servers, server: McpServerView) => Promise<ExitCode>): Promise<ExitCode> {
  const [name] = context.arguments.words as [string]
  return withServers(context, async (servers) => {
    const found = (await servers.client.call('mcp.list', { workspace: servers.workspace })).servers.find(({ entry }) => entry.name === name)
    if (found === undefined) throw new UsageError('MCP_NOT_FOUND', { name })
    return work(servers, found)
  })
}

function readServer({ arguments: { words, values } }: CommandContext): McpServerInput {
  const [name, ...rest] = words as [string, ...string[]]
  const { url, header, transport } = values
  if (url !== undefined) {
    if (rest[0] !== undefined) throw new UsageError('OPTIONS_CLASH', { left: '--url', right: rest[0] })
    const at = header?.indexOf(':') ?? -1
    if (header !== undefined && at < 1) throw new UsageError('MCP_BAD_SERVER', { name, reason: '--header "NAME: VALUE"' })
    return {
      name,
      url,
      ...(transport === undefined ? {} : { transport: transport === 'sse' ? 'sse' : 'streamable_http' }),
      ...(header === undefined ? {} : { headers: { [header.slice(0, at).trim()]: header.slice(at + 1).trim() } }),
    }
  }
  const start = rest.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  const command = rest[start]
  if (command === undefined) throw new UsageError('WORD_MISSING', { what: 'COMMAND' })
  const env = Object.fromEntries(rest.slice(0, start).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
  return { name, command, args: rest.slice(start + 1), ...(start === 0 ? {} : { env }) }
}

function stateName({ text }: CommandContext, { entry, approval, state }: McpServerView): string {
  if (!entry.enabled) return text.mcpDisabled
  if (approval !== 'given') return approval === 'changed' ? text.mcpChanged : text.mcpNotApproved
  return { off: text.mcpOff, connecting: text.mcpConnecting, ready: text.mcpReady, failed: text.mcpFailed, restarting: text.mcpRestarting }[
    state
  ]
}

/** Approved of all. */
function toolCount({ tools }: McpServerView): string {
  return `${tools.filter(({ status }) => status === 'approved').length}/${tools.length}`
}
