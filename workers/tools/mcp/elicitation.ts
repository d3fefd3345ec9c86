/** A server wants something from the person: asked like any question, field by field, with the server's name on it. */
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import type { RunContext } from '../define-tool.ts'
import { asksForSecret } from '../domain/asks-for-secret.ts'
import { visibleText } from '#workers/shared/visible-text.ts'

/** A call that is on its way, the person behind it, and their session's model. */
export interface Asker extends Pick<RunContext, 'ask' | 'sampling' | 'signal'> {
  readonly sessionId: string
  /** Requests for something that this call has brought so far. */
  asked: number
}

const TEXT_LIMIT = 2_000
const FIELDS = 20
const TRIES = 3

const FieldSchema = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']).catch('string'),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  enum: z.array(z.string()).optional().catch(undefined),
  oneOf: z
    .array(z.looseObject({ const: z.string(), title: z.string().optional() }))
    .optional()
    .catch(undefined),
  items: z
    .looseObject({ enum: z.array(z.string()).optional() })
    .optional()
    .catch(undefined),
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  default: z.unknown().optional(),
})
type Field = z.output<typeof FieldSchema>
type Value = string | number | boolean | string[]

/** Questions of one call; a server that asks more is told no. */
const QUESTIONS = 10

/** Which of several sessions a question belongs to, the protocol does not say: then it is nobody's. */
export function ownerOf(askers: readonly Asker[]): Asker | undefined {
  const asker = askers.at(-1)
  return askers.some(({ sessionId }) => sessionId !== asker?.sessionId) ? undefined : asker
}

export function mayAskMore(asker: Asker): boolean {
  asker.asked += 1
  return asker.asked <= QUESTIONS
}

/** Declines where nobody can be asked, and what nobody should be asked. */
export async function elicit(
  server: string,
  request: ElicitRequest['params'],
  askers: readonly Asker[],
  signal: AbortSignal,
): Promise<ElicitResult> {
  const asker = ownerOf(askers)
  if (asker === undefined) return { action: 'cancel' }
  if (!mayAskMore(asker)) return { action: 'decline' }
  // One paragraph: line feeds would push what is asked out of sight, or pose as lines of ours.
  const message = visibleText(request.message.replace(/\s+/g, ' ').trim(), false).slice(0, TEXT_LIMIT)
  if (request.mode === 'url') return askToOpen(server, message, request.url, asker, signal)
  const fields = Object.entries(request.requestedSchema.properties).map(([name, raw]) => ({ name, field: FieldSchema.parse(raw) }))
  const required = new Set(request.requestedSchema.required)
  const wording = [message, ...fields.flatMap(({ name, field }) => [name, field.title ?? '', field.description ?? ''])].join('\n')
  if (fields.length > FIELDS || asksForSecret(wording)) return { action: 'decline' }
  if (fields.length === 0) {
    const answer = await asker.ask({ text: `${heading(server)}\n${message}`, options: ['OK'] }, signal)
    return answer === undefined ? { action: 'decline' } : { action: 'accept', content: {} }
  }
  const content: Record<string, Value> = {}
  for (const [index, { name, field }] of fields.entries()) {
    if (signal.aborted) return { action: 'cancel' }
    const value = await askField(server, message, `${index + 1}/${fields.length}`, name, field, asker, signal)
    if (value === undefined && required.has(name) && field.default === undefined) return { action: 'decline' }
    if (value !== undefined) content[name] = value
  }
  return { action: 'accept', content }
}

async function askField(
  server: string,
  message: string,
  place: string,
  name: string,
  field: Field,
  asker: Asker,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const choices =
    field.type === 'boolean' ? ['true', 'false'] : (field.enum ?? field.oneOf?.map((entry) => entry.const) ?? field.items?.enum)
  const label = visibleText(field.title ?? name, false).slice(0, 200)
  const lines = [
    heading(server),
    message,
    `${place} · ${label}${field.description === undefined ? '' : ` — ${visibleText(field.description, false).slice(0, 500)}`}`,
    ...(field.default === undefined ? [] : [`(${JSON.stringify(field.default)})`]),
  ]
  let complaint: string | undefined
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const question = {
      text: [...lines, ...(complaint === undefined ? [] : [complaint])].join('\n'),
      ...(choices === undefined ? {} : { options: choices.slice(0, 8).map((choice) => visibleText(choice, false).slice(0, 200)) }),
    }
    const answer = await asker.ask(question, signal)
    if (answer === undefined) return undefined
    const value = readValue(field, choices, answer.trim())
    if (value !== undefined) return value
    complaint = `✗ ${JSON.stringify(answer.slice(0, 100))} → ${field.type}${choices === undefined ? '' : `: ${choices.join(', ')}`}`
  }
  return undefined
}

function readValue(field: Field, choices: readonly string[] | undefined, text: string): Value | undefined {
  switch (field.type) {
    case 'boolean':
      return /^(true|yes|y|是|对)$/i.test(text) ? true : /^(false|no|n|否|不)$/i.test(text) ? false : undefined
    case 'number':
    case 'integer': {
      const number = Number(text)
      const fits = number >= (field.minimum ?? -Infinity) && number <= (field.maximum ?? Infinity)
      return text !== '' && fits && (field.type === 'number' || Number.isInteger(number)) ? number : undefined
    }
    case 'array': {
      const words = text.split(/[,，]\s*/).filter((word) => word !== '')
      return words.every((word) => choices?.includes(word) !== false) ? words : undefined
    }
    case 'string':
      return choices === undefined || choices.includes(text) ? text : undefined
  }
}

/** The page is never opened for them: they see the whole address and go there themselves. */
async function askToOpen(server: string, message: string, address: string, asker: Asker, signal: AbortSignal): Promise<ElicitResult> {
  const url = URL.parse(address)
  const local = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1'
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && local))) return { action: 'decline' }
  const reason = { code: 'mcp_open_page', params: { server: visibleText(server, false) } } as const
  const answer = await asker.ask({ text: `${visibleText(url.href, false)}\n${message}`, reason }, signal)
  return { action: answer === undefined ? 'decline' : 'accept' }
}

function heading(server: string): string {
  return `MCP “${visibleText(server, false)}”:`
}
