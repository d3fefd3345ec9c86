/**
 * The floor: what any agent must do and nothing else. A bare fetch, eventsource-parser, JSON.parse and a spawn for
 * each tool call; no storage, no permission, no window. One process, all sessions side by side.
 * Arguments: base URL, JSON `{prompts: string[], print: boolean}`.
 */
import { spawn } from 'node:child_process'
import { createParser } from 'eventsource-parser'

interface Message {
  role: string
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

const [baseUrl, input] = process.argv.slice(2)
const { prompts, print } = JSON.parse(input ?? '{}') as { prompts: string[]; print: boolean }
const tools = [
  {
    type: 'function',
    function: {
      name: 'run_command',
      description: 'Runs a command',
      parameters: { type: 'object', properties: { command: { type: 'string' } } },
    },
  },
]

await Promise.all(prompts.map(loop))

async function loop(prompt: string): Promise<void> {
  const messages: Message[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const answer = await request(messages)
    messages.push(answer)
    if (answer.tool_calls === undefined) return
    for (const call of answer.tool_calls) {
      const { command } = JSON.parse(call.function.arguments) as { command: string }
      messages.push({ role: 'tool', content: await run(command), tool_call_id: call.id })
    }
  }
}

async function request(messages: Message[]): Promise<Message> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'deepseek-flash', stream: true, messages, tools }),
  })
  let content = ''
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return
      const delta = (
        JSON.parse(data) as {
          choices: {
            delta: { content?: string; tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[] }
          }[]
        }
      ).choices[0]?.delta
      if (typeof delta?.content === 'string' && delta.content !== '') {
        content += delta.content
        if (print) process.stdout.write(delta.content)
      }
      for (const piece of delta?.tool_calls ?? []) {
        const open = calls[piece.index]
        if (open === undefined)
          calls[piece.index] = {
            id: piece.id ?? '',
            type: 'function',
            function: { name: piece.function.name ?? '', arguments: piece.function.arguments },
          }
        else open.function.arguments += piece.function.arguments
      }
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

function run(command: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (text) => (output += String(text)))
    child.once('close', () => resolve(output))
  })
}
