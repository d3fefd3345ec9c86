/** The tools of MCP servers as tools of ours: prepared, approved, run and bounded like any other. */
import { createHash } from 'node:crypto'
import { McpError, UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as z from 'zod'
import { MCP_GET_PROMPT, MCP_LIST, MCP_READ_RESOURCE } from '#contracts/tools/mcp-access-tools.ts'
import type { McpTool } from '#contracts/tools/mcp-server.ts'
import type { RiskClass } from '#contracts/tools/prepared-call.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { BoundTool, Preparation, RunContext, Tool, ToolOutput } from '../define-tool.ts'
import { elicit } from './elicitation.ts'
import { listCatalog, type ListMethod } from './list-catalog.ts'
import { McpFailure } from './mcp-failure.ts'
import { untilStopped } from './until-stopped.ts'
import type { HostedServer, McpHost } from './mcp-host.ts'
import { MCP_LIMITS } from './mcp-surroundings.ts'
import { BlockWriter, boundText, callOutput, CallResultSchema, resourceOutput } from './mcp-result.ts'

/** @returns undefined for a name no server of the workspace has. */
export function findMcpTool(host: McpHost, workspace: string, name: string): Tool | undefined {
  if (name === MCP_LIST) return accessTool(host, workspace, name, 'read', ListArguments, listOffers)
  if (name === MCP_READ_RESOURCE) return accessTool(host, workspace, name, 'execute', ReadArguments, readResource)
  if (name === MCP_GET_PROMPT) return accessTool(host, workspace, name, 'execute', PromptArguments, getPrompt)
  const found = host.findTool(workspace, name)
  return found === undefined ? undefined : serverTool(host, found.server, found.tool, name)
}

function serverTool(host: McpHost, server: HostedServer, tool: McpTool, name: string): Tool {
  const { entry, approval } = server.configured
  const permission = approval?.permissions[tool.name] ?? 'ask'
  // Only both together: what a server says of itself alone widens nothing.
  const risk: RiskClass = permission === 'allow' && tool.hints.readOnly === true ? 'read' : 'execute'
  const bind = (args: Readonly<Record<string, unknown>>): BoundTool => ({
    ok: true,
    prepare: async (): Promise<Preparation> => {
      refuse(host, server)
      if (permission === 'deny') throw new ToolError('DENIED', `The user does not allow ${name}.`)
      return {
        display: `${entry.name} · ${tool.name}${hintText(tool)}\n${JSON.stringify(args, undefined, 2)}`,
        grantPrefix: `${name} ${createHash('sha256').update(tool.hash).digest('hex').slice(0, 12)}`,
        subjects: [{ text: JSON.stringify(args) }],
        foreign: true,
        ...(permission === 'allow' ? { preapproved: true } : {}),
      }
    },
    run: (context) =>
      throughServer(host, server, context, async (client, options) => {
        host.requireUnchanged(server, tool)
        const result = await client.request(
          { method: 'tools/call', params: { name: tool.name, arguments: { ...args } } },
          CallResultSchema,
          options,
        )
        return callOutput(entry.name, result, context)
      }),
  })
  return {
    name,
    descriptor: {
      definition: { name, description: tool.description, parameters: tool.parameters },
      risk,
      parallel: tool.hints.readOnly === true,
    },
    bind,
  }
}

const ListArguments = z.object({ server: z.string() })
const ReadArguments = z.object({ server: z.string(), uri: z.string().min(1).max(4_000) })
const PromptArguments = z.object({ server: z.string(), prompt: z.string().min(1), arguments: z.record(z.string(), z.string()).default({}) })

interface Access {
  readonly client: Client
  readonly options: RequestOptions
  readonly context: RunContext
}

function accessTool<S extends z.ZodObject<{ server: z.ZodString }>>(
  host: McpHost,
  workspace: string,
  name: string,
  risk: RiskClass,
  input: S,
  run: (args: z.output<S>, access: Access) => Promise<ToolOutput>,
): Tool {
  const find = (args: z.output<S>): HostedServer => {
    const server = host.findServer(workspace, (args as { server: string }).server)
    if (server === undefined)
      throw new ToolError('NO_SERVER', `There is no MCP server ${JSON.stringify((args as { server: string }).server)}.`)
    return server
  }
  return {
    name,
    descriptor: { definition: { name, description: '', parameters: {} }, risk, parallel: true },
    bind: (raw) => {
      const parsed = input.safeParse(raw)
      if (!parsed.success) return { ok: false, problem: `The arguments do not fit ${name}: ${z.prettifyError(parsed.error)}` }
      const args = parsed.data
      return {
        ok: true,
        prepare: async () => {
          const server = find(args)
          refuse(host, server)
          const { server: serverName, ...rest } = args as { server: string }
          return {
            display: `${serverName} · ${name}\n${JSON.stringify(rest, undefined, 2)}`,
            subjects: [{ text: JSON.stringify(args) }],
            foreign: true,
            ...(risk === 'read' ? {} : { grantPrefix: `${name} ${serverName}` }),
          }
        },
        run: (context) => throughServer(host, find(args), context, (client, options) => run(args, { client, options, context })),
      }
    },
  }
}

/**
 * Waits for the server, makes the request, and tells what went wrong. A session the server has forgotten is begun anew and
 * the request repeated: it was refused, not carried out; so it is when the person has first to open a page. Nothing else is repeated.
 */
async function throughServer(
  host: McpHost,
  server: HostedServer,
  context: RunContext,
  work: (client: Client, options: RequestOptions) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { connection } = server
  const { limits } = connection.start.surroundings
  const { name } = server.configured.entry
  const { ask, sampling, signal } = context
  const asker = { sessionId: context.place.sessionId, ask, sampling, signal, asked: 0 }
  const isOpened = async ({ elicitations }: UrlElicitationRequiredError): Promise<boolean> => {
    if (!connection.start.options.urlElicitation || elicitations.length === 0) return false
    for (const page of elicitations) {
      const { action } = await elicit(name, { ...page, mode: 'url' }, [asker], context.signal)
      if (action !== 'accept') return false
    }
    return true
  }
  let sent = false
  const attempt = async (): Promise<ToolOutput> => {
    const client = await untilStopped(connection.client(), context.signal)
    sent = true
    return work(client, {
      signal: context.signal,
      timeout: limits.idleMs,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: limits.totalMs,
      onprogress: ({ progress, total, message }) => {
        if (message !== undefined && message !== '') context.live({ output: `${message.slice(0, 1_000)}\n` })
        context.live({ progress: { done: progress, ...(total === undefined ? {} : { total }), unit: 'steps' } })
      },
    })
  }
  try {
    refuse(host, server)
    server.askers.push(asker)
    try {
      return await attempt()
    } catch (error) {
      if (context.signal.aborted) throw error
      if (error instanceof UrlElicitationRequiredError && (await isOpened(error))) return await attempt()
      if (!(error instanceof StreamableHTTPError && error.code === 404)) throw error
      await connection.reconnect()
      return await attempt()
    }
  } catch (error) {
    context.signal.throwIfAborted()
    throw explainCall(error, name, sent ? connection.endedBecause() : undefined)
  } finally {
    const at = server.askers.indexOf(asker)
    if (at >= 0) server.askers.splice(at, 1)
  }
}

/** @throws ToolError when the server may not be used. */
function refuse(host: McpHost, server: HostedServer): void {
  try {
    host.requireRunnable(server)
  } catch (error) {
    throw error instanceof McpFailure ? new ToolError(error.code, error.message) : error
  }
}

function explainCall(error: unknown, server: string, ended: McpFailure | undefined): unknown {
  if (error instanceof ToolError) return error
  if (error instanceof McpFailure) return new ToolError(error.code, `MCP server ${server}: ${error.message}`)
  if (ended !== undefined)
    return new ToolError(
      'OUTCOME_UNKNOWN',
      `The MCP server ${server} ended during the call (${ended.message}) Whether it took effect is unknown; look before you make it again.`,
    )
  const own = error instanceof McpError ? (error.data as { metona?: unknown } | undefined)?.metona : undefined
  if (typeof own === 'string') return new ToolError(own, `MCP server ${server}: ${(error as Error).message}`)
  if (error instanceof McpError && error.code === -32001)
    return new ToolError('TIMEOUT', `The MCP server ${server} did not answer in time: ${error.message}`)
  if (error instanceof McpError && error.code === -32000)
    return new ToolError('OUTCOME_UNKNOWN', `The MCP server ${server}: ${error.message} Whether the call took effect is unknown.`)
  if (error instanceof McpError)
    return new ToolError('MCP_ERROR', `The MCP server ${server} refused the call: ${error.message.slice(0, 2_000)}`)
  if (error instanceof StreamableHTTPError)
    return new ToolError('MCP_ERROR', `The MCP server ${server} answered ${error.code ?? ''}: ${error.message.slice(0, 500)}`)
  const message = error instanceof Error ? error.message : String(error)
  return new ToolError('BAD_ANSWER', `The answer of the MCP server ${server} could not be used: ${message.slice(0, 500)}`)
}

function hintText({ hints }: McpTool): string {
  const said = [
    ...(hints.readOnly === true ? ['only reads'] : []),
    ...(hints.destructive === true && hints.readOnly !== true ? ['may destroy'] : []),
  ]
  return said.length === 0 ? '' : ` (the server says: ${said.join(', ')})`
}

const NamedSchema = z.looseObject({
  name: z.string().catch(''),
  uri: z.string().optional().catch(undefined),
  uriTemplate: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(z.looseObject({ name: z.string(), required: z.boolean().optional() }))
    .optional()
    .catch(undefined),
})

async function listOffers(_args: z.output<typeof ListArguments>, { client, options, context }: Access): Promise<ToolOutput> {
  const capabilities = client.getServerCapabilities() ?? {}
  const writer = new BlockWriter(context)
  const list = async (method: ListMethod, title: string): Promise<void> => {
    const entries = await listCatalog(client, method, { signal: context.signal, timeout: options.timeout ?? MCP_LIMITS.listMs })
    writer.line(`${title}: ${entries.length === 0 ? 'none' : entries.length}`)
    for (const raw of entries) {
      const { name, uri, uriTemplate, description, arguments: args } = NamedSchema.parse(raw)
      const given = args?.map((one) => (one.required === true ? one.name : `${one.name}?`)).join(', ')
      writer.line(
        `- ${[uri ?? uriTemplate, name, given === undefined ? undefined : `(${given})`, description?.slice(0, 300)].filter((part) => part !== undefined && part !== '').join(' · ')}`,
      )
    }
  }
  if (capabilities.resources !== undefined) {
    await list('resources/list', 'Resources')
    // Many servers have none and do not know the question.
    await list('resources/templates/list', 'Resource templates').catch((error: unknown) => {
      if (!(error instanceof McpError && error.code === -32601)) throw error
    })
  }
  if (capabilities.prompts !== undefined) await list('prompts/list', 'Prompts')
  return { result: await boundText(writer.text === '' ? 'It has neither resources nor prompts.' : writer.text, context) }
}

async function readResource({ server, uri }: z.output<typeof ReadArguments>, { client, options, context }: Access): Promise<ToolOutput> {
  const schema = z.looseObject({ contents: z.array(z.unknown()) })
  const { contents } = await client.request({ method: 'resources/read', params: { uri } }, schema, options)
  return resourceOutput(server, contents, context)
}

async function getPrompt(args: z.output<typeof PromptArguments>, { client, options, context }: Access): Promise<ToolOutput> {
  const schema = z.looseObject({
    description: z.string().optional().catch(undefined),
    messages: z.array(z.looseObject({ role: z.string().catch('user'), content: z.unknown() })),
  })
  const params = { name: args.prompt, arguments: args.arguments }
  const { messages } = await client.request({ method: 'prompts/get', params }, schema, options)
  const writer = new BlockWriter(context)
  for (const { role, content } of messages.slice(0, 50)) {
    writer.line(`${role}:`)
    await writer.block(content)
  }
  return { result: await boundText(writer.text, context), display: { kind: 'mcp', server: args.server, files: writer.files } }
}
