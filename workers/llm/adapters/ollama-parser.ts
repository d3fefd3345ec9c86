/** Reads an answer of Ollama's native chat: one object a line, calls whole, usage in the last line. */
import type { Frame } from '../domain/frame.ts'
import { mapFailure } from '../domain/map-error.ts'
import { createThinkTags } from '../domain/think-tags.ts'
import { normaliseUsage } from '../domain/usage.ts'
import type { WireContext, WireParser } from './wire-parser.ts'

interface Line {
  error?: unknown
  message?: {
    content?: string | null
    thinking?: string | null
    tool_calls?: { id?: string; function?: { name?: string; arguments?: Record<string, unknown> | string | null } }[] | null
  } | null
  done?: boolean
  done_reason?: string
  prompt_eval_count?: number
  eval_count?: number
}

/** @param tags the model is known to write its thoughts between think tags when the server does not part them. */
export function createOllamaParser(context: WireContext, tags: boolean): WireParser {
  const { builder } = context
  const splitter = tags ? createThinkTags({ reasoning: (text) => builder.reasoning(text), text: (text) => builder.text(text) }) : undefined
  let calls = 0

  const read = (line: Line): void => {
    if (line.error !== undefined && line.error !== null)
      return builder.fail(mapFailure({ provider: 'ollama', model: context.model, body: line }))
    const { message } = line
    builder.reasoning(message?.thinking ?? '')
    const content = message?.content ?? ''
    if (splitter === undefined) builder.text(content)
    else if (content !== '') splitter.push(content)
    for (const call of message?.tool_calls ?? []) {
      splitter?.end()
      // Every entry is a whole call, whatever its index says.
      builder.toolCall({ index: calls, id: call.id, name: call.function?.name, arguments: call.function?.arguments ?? {} })
      calls += 1
    }
    if (line.done !== true) return
    splitter?.end()
    // Counts that are 0 are left out.
    builder.usage(normaliseUsage({ input: line.prompt_eval_count ?? 0, output: line.eval_count ?? 0 }))
    builder.finish(
      line.done_reason === 'length' ? 'length' : line.done_reason === undefined || line.done_reason === 'stop' ? 'stop' : 'unknown',
    )
    builder.end()
  }

  return {
    feed: (frame: Frame) => read(JSON.parse(frame.data) as Line),
    document: (body) => read({ done: true, ...(body as Line) }),
    end: () => splitter?.end(),
  }
}
