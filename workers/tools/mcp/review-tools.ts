/** The tools a server lists, one by one: usable or not and why, and how they stand to what the person approved. */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { mcpOfferedName } from '#contracts/tools/mcp-offered-name.ts'
import type { McpApproval, McpTool, McpToolView } from '#contracts/tools/mcp-server.ts'
import { canonicalJson } from '../domain/canonical-json.ts'
import { repairSchema } from '../domain/mcp/repair-schema.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { unifiedDiff } from '../text/unified-diff.ts'

const DESCRIPTION_LIMIT = 4_000
const NAME_LIMIT = 128
/** Diffs are made for this many changed tools; a server that changes more has changed altogether. */
const DIFF_LIMIT = 50

const ListedSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
      openWorldHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

export type ReviewedTool = Omit<McpToolView, 'status' | 'permission' | 'diff'> & { readonly rejected: boolean }

/** @param listed what the server sent, of any shape. */
export function reviewTools(server: string, listed: readonly unknown[]): ReviewedTool[] {
  const taken = new Set<string>()
  return listed.map((raw, index) => {
    const reviewed = reviewOne(server, raw, index)
    if (reviewed.rejected || !taken.has(reviewed.offeredAs)) {
      taken.add(reviewed.offeredAs)
      return reviewed
    }
    return { ...reviewed, rejected: true, reason: 'there is another tool of this name' }
  })
}

function reviewOne(server: string, raw: unknown, index: number): ReviewedTool {
  const parsed = ListedSchema.safeParse(raw)
  if (!parsed.success) return refuse(server, `(${index + 1})`, 'it is no tool: a name is missing')
  const { name, description, inputSchema, annotations, title } = parsed.data
  const shown = visibleText(name, false)
  if (name === '' || name.length > NAME_LIMIT) return refuse(server, shown.slice(0, NAME_LIMIT), `its name has ${name.length} characters`)
  if (shown !== name) return refuse(server, shown, 'its name holds invisible or look-alike characters')
  const repaired = repairSchema(inputSchema)
  if (!repaired.ok) return refuse(server, name, repaired.reason)
  const repairs = [...repaired.repairs]
  const parameters = visibleStrings(repaired.schema)
  if (canonicalJson(parameters) !== canonicalJson(repaired.schema)) repairs.push('invisible characters in the schema made visible')
  let text = visibleText(description ?? '')
  if (text !== (description ?? '').replace(/\r\n/g, '\n')) repairs.push('invisible characters in the description made visible')
  if (text.length > DESCRIPTION_LIMIT) {
    repairs.push(`the description was cut; it had ${text.length} characters`)
    text = `${text.slice(0, DESCRIPTION_LIMIT)} […]`
  }
  const hintTitle = title ?? annotations?.title
  const tool: Omit<McpTool, 'hash'> = {
    name,
    description: text,
    parameters,
    hints: {
      ...(hintTitle === undefined ? {} : { title: visibleText(hintTitle, false).slice(0, 200) }),
      ...(annotations?.readOnlyHint === undefined ? {} : { readOnly: annotations.readOnlyHint }),
      ...(annotations?.destructiveHint === undefined ? {} : { destructive: annotations.destructiveHint }),
      ...(annotations?.openWorldHint === undefined ? {} : { openWorld: annotations.openWorldHint }),
    },
    repairs,
  }
  // Over what the server sent as well: a change in what was cut off is a change.
  const hash = sha256({ tool, sent: { name, title, description, inputSchema, annotations } })
  return { ...tool, hash, offeredAs: mcpOfferedName(server, name), rejected: false }
}

function refuse(server: string, name: string, reason: string): ReviewedTool {
  return {
    name,
    description: '',
    parameters: {},
    hints: {},
    repairs: [],
    hash: '',
    offeredAs: mcpOfferedName(server, name),
    rejected: true,
    reason,
  }
}

/** What was listed beside what was approved; approved ones that are gone come last. */
export async function compareTools(
  server: string,
  listed: readonly ReviewedTool[] | undefined,
  approval: McpApproval | undefined,
): Promise<McpToolView[]> {
  const approved = new Map((approval?.tools ?? []).map((tool) => [tool.name, tool]))
  const permission = (name: string): McpToolView['permission'] => approval?.permissions[name] ?? 'ask'
  if (listed === undefined)
    return [...approved.values()].map((tool) => ({
      ...tool,
      offeredAs: mcpOfferedName(server, tool.name),
      status: 'approved' as const,
      permission: permission(tool.name),
    }))
  let diffs = 0
  const views: McpToolView[] = []
  for (const { rejected, ...tool } of listed) {
    const before = approved.get(tool.name)
    const status = rejected ? 'rejected' : before === undefined ? 'new' : before.hash === tool.hash ? 'approved' : 'changed'
    if (!rejected) approved.delete(tool.name)
    const diff = status === 'changed' && before !== undefined && diffs++ < DIFF_LIMIT ? await diffTools(before, tool) : undefined
    views.push({ ...tool, status, permission: permission(tool.name), ...(diff === undefined ? {} : { diff }) })
  }
  for (const tool of approved.values())
    views.push({ ...tool, offeredAs: mcpOfferedName(server, tool.name), status: 'removed', permission: permission(tool.name) })
  return views
}

export function hashOfTools(listed: readonly ReviewedTool[]): string {
  return sha256(
    listed
      .filter((tool) => !tool.rejected)
      .map((tool) => tool.hash)
      .toSorted(),
  )
}

async function diffTools(before: McpTool, after: McpTool): Promise<string> {
  const { text } = await unifiedDiff(after.name, toolText(before), toolText(after))
  return text === `--- ${after.name}\n+++ ${after.name}\n` ? `${text}[What changed is not shown to the model.]\n` : text
}

function toolText({ description, parameters, hints }: McpTool): string {
  return `${description}\n\n${JSON.stringify(parameters, undefined, 2)}\n${JSON.stringify(hints)}\n`
}

function sha256(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

function visibleStrings<T>(value: T): T {
  if (typeof value === 'string') return visibleText(value) as T
  if (Array.isArray(value)) return value.map(visibleStrings) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, visibleStrings(entry)])) as T
}
