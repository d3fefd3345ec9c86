/** How a tool wants its result shown. `display` comes from outside: what does not fit its kind is shown generically. */
import { REFUSAL_REASONS } from '#contracts/tools/allowed-domains.ts'
import type { ToolItem } from '#contracts/session/transcript-items.ts'
import { TodoViewSchema } from '#renderer/ui/todo-step.ts'
import * as z from 'zod'

const CellSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])
const ViewSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('diff'), path: z.string(), diff: z.string(), added: z.number().optional(), removed: z.number().optional() }),
  z.object({
    kind: z.literal('terminal'),
    text: z.string(),
    exitCode: z.number().nullish(),
    signal: z.string().nullish(),
    timedOut: z.boolean().optional(),
    /** Where the whole output is, when this is not all of it. */
    file: z.string().optional(),
    /** Connections that the sandbox refused. */
    refused: z
      .array(z.object({ host: z.string().max(300), port: z.number(), reason: z.enum(REFUSAL_REASONS) }))
      .max(20)
      .optional(),
  }),
  z.object({
    kind: z.literal('table'),
    columns: z.array(z.object({ name: z.string(), type: z.string().optional() })).max(500),
    sample: z.array(z.array(CellSchema)).max(200),
    rows: z.number().optional(),
  }),
  z.object({ kind: z.literal('list'), entries: z.array(z.string()).max(500), total: z.number().optional() }),
  z.object({ kind: z.literal('search'), lines: z.array(z.string()).max(500), total: z.number().optional() }),
  TodoViewSchema,
])

export type ToolView = z.infer<typeof ViewSchema> | { readonly kind: 'generic' }
export type TableView = Extract<ToolView, { kind: 'table' }>

export function toolView(display: ToolItem['display']): ToolView {
  const parsed = ViewSchema.safeParse(display)
  return parsed.success ? parsed.data : { kind: 'generic' }
}
