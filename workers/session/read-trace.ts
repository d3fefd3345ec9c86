/** A trace file → what a waterfall shows of it. The file lies in the workspace: what does not fit is passed over. */
import type { Trace } from '#contracts/session/inspect-commands.ts'
import * as z from 'zod'

const ValueSchema = z.object({ stringValue: z.string().optional(), intValue: z.union([z.string(), z.number()]).optional() })
const SpanSchema = z.object({
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string().regex(/^\d{1,20}$/),
  endTimeUnixNano: z.string().regex(/^\d{1,20}$/),
  attributes: z.array(z.object({ key: z.string(), value: ValueSchema })).default([]),
  status: z.object({ message: z.string().optional() }).optional(),
})
const FileSchema = z.object({
  resourceSpans: z.tuple([z.object({ scopeSpans: z.tuple([z.object({ spans: z.array(SpanSchema).min(1).max(5000) })]) })]),
})

/** @returns undefined for a file that is no trace of ours. */
export function readTrace(file: string, json: string): Trace | undefined {
  const [, turn, iteration] = /_(\d+)_(\d+)\.json$/.exec(file) ?? []
  const parsed = FileSchema.safeParse(parseJson(json))
  if (!parsed.success || turn === undefined || iteration === undefined) return undefined
  const { spans } = parsed.data.resourceSpans[0].scopeSpans[0]
  const root = spans.find((span) => span.parentSpanId === undefined)
  if (root === undefined) return undefined
  return {
    file,
    turn: Number(turn),
    iteration: Number(iteration),
    startedAt: milliseconds(root.startTimeUnixNano),
    endedAt: milliseconds(root.endTimeUnixNano),
    spans: spans
      .filter((span) => span !== root)
      .map((span) => ({
        name: span.name,
        kind: span.attributes.find((attribute) => attribute.key === 'metona.span.kind')?.value.stringValue ?? '',
        startedAt: milliseconds(span.startTimeUnixNano),
        endedAt: milliseconds(span.endTimeUnixNano),
        ...(span.status?.message === undefined ? {} : { error: span.status.message }),
      }))
      .toSorted((left, right) => left.startedAt - right.startedAt),
  }
}

/** Whole microseconds, as a number. */
const milliseconds = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1000n) / 1000

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Cut or foreign: the schema refuses what is not there.
    return undefined
  }
}
