/** Reads a recording the short way: split, JSON.parse, concatenate. Shares no code with the app. */

export interface PlainReading {
  text: string
  thinking: string
  calls: { name: string; args: unknown }[]
  /** All prompt tokens, cached ones included; NaN when never said. */
  input: number
  output: number
}
interface Json {
  readonly [key: string]: Json | undefined
}

export function readPlainly(raw: string, api: string, transport: string): PlainReading {
  const lines = transport === 'json' ? [raw] : raw.split('\n').filter((line) => transport !== 'sse' || line.startsWith('data:'))
  const payloads = lines.map((line) => line.replace(/^data:/, '').trim()).filter((line) => line !== '' && line !== '[DONE]')
  const reading: PlainReading = { text: '', thinking: '', calls: [], input: NaN, output: NaN }
  const open = new Map<string, { name: string; args: string }>()
  let usage: Json = {}
  for (const document of payloads.map((payload) => JSON.parse(payload) as Json)) {
    const delta = document['choices']?.['0']?.['delta'] ?? (api === 'anthropic-messages' ? document['delta'] : document['message']) ?? {}
    reading.text +=
      text(delta['content']) +
      text(delta['text']) +
      (text(document['type']) === 'response.output_text.delta' ? text(document['delta']) : '')
    reading.thinking += text(delta['reasoning_content']) + text(delta['thinking'])
    for (const call of Object.values(delta['tool_calls'] ?? {})) {
      if (api === 'ollama-chat') reading.calls.push({ name: text(call?.['function']?.['name']), args: call?.['function']?.['arguments'] })
      else append(String(call?.['index'] ?? 0), text(call?.['function']?.['name']), text(call?.['function']?.['arguments']))
    }
    if (text(document['content_block']?.['type']) === 'tool_use')
      append(String(document['index']), text(document['content_block']?.['name']), '')
    if (delta['partial_json'] !== undefined) append(String(document['index']), '', text(delta['partial_json']))
    if (text(document['type']) === 'response.output_item.done')
      append(String(document['output_index']), text(document['item']?.['name']), text(document['item']?.['arguments']))
    usage = {
      ...usage,
      ...document['message']?.['usage'],
      ...document['usage'],
      ...document['response']?.['usage'],
      ...(document['eval_count'] === undefined ? {} : document),
    }
  }
  for (const { name, args } of open.values())
    if (name !== '' && isComplete(args, api)) reading.calls.push({ name, args: JSON.parse(args || '{}') as unknown })
  const cached =
    api === 'anthropic-messages' ? Number(usage['cache_creation_input_tokens'] ?? 0) + Number(usage['cache_read_input_tokens'] ?? 0) : 0
  reading.input = Number(usage['prompt_tokens'] ?? usage['prompt_eval_count'] ?? usage['input_tokens'] ?? NaN) + cached
  reading.output = Number(usage['completion_tokens'] ?? usage['eval_count'] ?? usage['output_tokens'] ?? NaN)
  return reading

  function append(key: string, name: string, args: string): void {
    const call = open.get(key) ?? { name, args: '' }
    open.set(key, { ...call, args: call.args + args })
  }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Every argument text in these files that is whole ends in a brace; an empty one is whole only where the block said so. */
function isComplete(args: string, api: string): boolean {
  return args.endsWith('}') || (args === '' && api === 'anthropic-messages')
}
