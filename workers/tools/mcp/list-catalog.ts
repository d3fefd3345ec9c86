/** Everything a server lists, page by page, bounded: a server decides neither how long nor how much. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import * as z from 'zod'
import { McpFailure } from './mcp-failure.ts'

export type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list'

const KEY: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}
const PAGES = 50
const ENTRIES = 1_000
const BYTES = 4 * 1024 * 1024

/** Each entry is checked by whoever uses it: one that is broken must not take the others with it. */
const PageSchema = z.looseObject({ nextCursor: z.string().optional().catch(undefined) })

/** @returns entries of any shape, in the server's order. @throws McpFailure ENDLESS_LIST, TOO_BIG; what the client throws. */
export async function listCatalog(
  client: Client,
  method: ListMethod,
  options: { signal: AbortSignal; timeout: number },
): Promise<unknown[]> {
  const entries: unknown[] = []
  const seen = new Set<string>()
  let bytes = 0
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await client.request({ method, ...(cursor === undefined ? {} : { params: { cursor } }) }, PageSchema, options)
    const found = (answer as Record<string, unknown>)[KEY[method]]
    if (!Array.isArray(found)) throw new McpFailure('BAD_PROTOCOL', `Its answer to ${method} holds no ${KEY[method]}.`)
    bytes += JSON.stringify(found).length
    if (bytes > BYTES) throw new McpFailure('TOO_BIG', `Its ${KEY[method]} are larger than ${BYTES / 1024 / 1024} MiB together.`)
    entries.push(...found)
    if (entries.length > ENTRIES) throw new McpFailure('TOO_BIG', `It lists more than ${ENTRIES} ${KEY[method]}.`)
    cursor = answer.nextCursor
    if (cursor === undefined || cursor === '') return entries
    if (seen.has(cursor)) throw new McpFailure('ENDLESS_LIST', `Its list of ${KEY[method]} turns in a circle.`)
    seen.add(cursor)
  }
  throw new McpFailure('ENDLESS_LIST', `Its list of ${KEY[method]} has more than ${PAGES} pages.`)
}
