/** The prompts of approved servers: listed, completed and filled for a person. Everything a server says is bounded and made visible. */
import * as z from 'zod'
import type { McpPrompt, McpPromptText } from '#contracts/tools/mcp-prompt.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { listCatalog } from './list-catalog.ts'
import { untilStopped } from './until-stopped.ts'
import type { HostedServer, McpHost } from './mcp-host.ts'

const PROMPTS = 100
const ARGUMENTS = 20
const NAME_LIMIT = 200
const TEXT_LIMIT = 500
/** Characters of a filled prompt: it goes into a message that a person looks over. */
const FILLED_LIMIT = 100_000
const MESSAGES = 50
const SUGGESTIONS = 20
const COMPLETE_MS = 5_000
/** A server that is slower, to start or to answer, has no prompts this time: the others' wait for it. */
const LIST_MS = 4_000

const PromptSchema = z.looseObject({
  name: z.string().min(1).max(NAME_LIMIT),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(NAME_LIMIT),
        title: z.string().optional().catch(undefined),
        description: z.string().optional().catch(undefined),
        required: z.boolean().optional().catch(undefined),
      }),
    )
    .max(ARGUMENTS)
    .optional(),
})

/** Of the servers whose offer of prompts was approved. One that cannot be asked has none; its log says why. */
export async function listPrompts(host: McpHost, workspace: string, milliseconds = LIST_MS): Promise<McpPrompt[]> {
  const servers = host
    .serversOf(workspace)
    .filter((server) => server.configured.approval?.offers.prompts === true && host.isRunnable(server))
  const listed = await Promise.all(servers.map((server) => promptsOf(server, AbortSignal.timeout(milliseconds))))
  return withWordsOfTheirOwn(listed.flat())
}

/** Names that differ may be typed alike: the later one is numbered. */
function withWordsOfTheirOwn(prompts: readonly McpPrompt[]): McpPrompt[] {
  const used = new Set<string>()
  return prompts.map((prompt) => {
    let { word } = prompt
    for (let number = 2; used.has(word); number += 1) word = `${prompt.word}_${number}`
    used.add(word)
    return { ...prompt, word }
  })
}

async function promptsOf({ configured, connection }: HostedServer, signal: AbortSignal): Promise<McpPrompt[]> {
  const { id, name: server } = configured.entry
  try {
    // It goes on starting: the next time it may be there.
    const client = await untilStopped(connection.client(), signal)
    const options = { signal, timeout: connection.start.surroundings.limits.listMs }
    const known = (await listCatalog(client, 'prompts/list', options)).flatMap((raw) => PromptSchema.safeParse(raw).data ?? [])
    return known.slice(0, PROMPTS).map(({ name, title, description, arguments: given = [] }) => ({
      server: { id, name: server },
      name,
      word: `${visibleText(server, false)}:${visibleText(name, false)}`.replace(/\s+/g, '_'),
      title: short(title ?? name),
      description: short(description ?? ''),
      arguments: given.map((argument) => ({
        name: argument.name,
        label: short(argument.title ?? argument.name),
        description: short(argument.description ?? ''),
        required: argument.required === true,
      })),
    }))
  } catch (error) {
    connection.log.add('app', `its prompts could not be listed: ${messageOf(error)}`)
    return []
  }
}

const FilledSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']).catch('user'), content: z.unknown() })),
})
const ContentSchema = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: z.string(), text: z.string() }) }),
  z.looseObject({ type: z.string() }),
])

export interface PromptOrder {
  readonly workspace: string
  readonly id: string
  readonly prompt: string
}

/** @throws AppError MCP_NOT_FOUND, MCP_NOT_APPROVED, MCP_PROMPT_FAILED */
export async function fillPrompt(
  host: McpHost,
  { workspace, id, prompt, arguments: given }: PromptOrder & { readonly arguments: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<McpPromptText> {
  const { connection, configured } = host.runnable(workspace, id)
  const { name } = configured.entry
  try {
    const client = await connection.client()
    const options = { signal, timeout: connection.start.surroundings.limits.idleMs }
    const params = { name: prompt, arguments: { ...given } }
    return readMessages((await client.request({ method: 'prompts/get', params }, FilledSchema, options)).messages)
  } catch (error) {
    const reason = visibleText(messageOf(error)).slice(0, TEXT_LIMIT)
    throw new AppError({ code: 'MCP_PROMPT_FAILED', message: `${name}: ${reason}`, params: { name, reason } })
  }
}

function readMessages(raw: z.output<typeof FilledSchema>['messages']): McpPromptText {
  const messages: McpPromptText['messages'] = []
  const leftOut: string[] = []
  let room = FILLED_LIMIT
  for (const { role, content } of raw.slice(0, MESSAGES)) {
    const parsed = ContentSchema.safeParse(content).data
    const text = parsed === undefined ? undefined : textOf(parsed)
    if (text === undefined) leftOut.push(short(parsed?.type ?? '?'))
    else messages.push({ role, text: visibleText(text.slice(0, room)) })
    if (text !== undefined && text.length > room) leftOut.push(`${text.length - room} characters`)
    room -= Math.min(room, text?.length ?? 0)
  }
  if (raw.length > MESSAGES) leftOut.push(`${raw.length - MESSAGES} messages`)
  return { messages, leftOut }
}

function textOf(content: z.output<typeof ContentSchema>): string | undefined {
  if (content.type === 'text' && typeof content['text'] === 'string') return content['text']
  const resource = z.looseObject({ uri: z.string(), text: z.string() }).safeParse(content['resource']).data
  return resource === undefined ? undefined : `${resource.uri.slice(0, TEXT_LIMIT)}\n${resource.text}`
}

/** Empty where the server offers no completion, or does not answer in time: it is a help, nothing waits for it. */
export async function completeArgument(
  host: McpHost,
  order: PromptOrder & { readonly argument: string; readonly value: string; readonly arguments: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<string[]> {
  const { connection } = host.runnable(order.workspace, order.id)
  try {
    const client = await connection.client()
    if (client.getServerCapabilities()?.completions === undefined) return []
    const { completion } = await client.complete(
      {
        ref: { type: 'ref/prompt', name: order.prompt },
        argument: { name: order.argument, value: order.value },
        context: { arguments: { ...order.arguments } },
      },
      { signal, timeout: COMPLETE_MS },
    )
    // What would be shown differently from what is sent is no suggestion.
    return completion.values.filter((value) => value.length <= NAME_LIMIT && visibleText(value, false) === value).slice(0, SUGGESTIONS)
  } catch (error) {
    connection.log.add('app', `no suggestions for ${order.argument}: ${messageOf(error)}`)
    return []
  }
}

function short(text: string): string {
  return visibleText(text, false).slice(0, TEXT_LIMIT)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
