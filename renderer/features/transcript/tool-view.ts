/** How a tool wants its result shown. `display` comes from outside: what does not fit its kind is shown generically. */
import type { ToolItem } from '#contracts/session/transcript-items.ts'
import * as z from 'zod'

const ViewSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('diff'), path: z.string(), diff: z.string() }),
  z.object({ kind: z.literal('terminal'), text: z.string(), exitCode: z.number().nullish() }),
])

export type ToolView =
  | { readonly kind: 'diff'; readonly path: string; readonly diff: string }
  | { readonly kind: 'terminal'; readonly text: string; readonly exitCode?: number | undefined }
  | { readonly kind: 'generic' }

export function toolView(display: ToolItem['display']): ToolView {
  const parsed = ViewSchema.safeParse(display)
  if (!parsed.success) return { kind: 'generic' }
  return parsed.data.kind === 'diff'
    ? parsed.data
    : { kind: 'terminal', text: parsed.data.text, exitCode: parsed.data.exitCode ?? undefined }
}
