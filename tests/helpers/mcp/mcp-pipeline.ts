/** A pipeline with MCP servers in its workspace, a fake provider, and a person who answers. */
import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { McpServerInput } from '#contracts/session/mcp-commands.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { McpServerView } from '#contracts/tools/mcp-server.ts'
import { makeCliPlace, type CliPlace } from '../cli.ts'
import { startFakeProvider, type FakeAnswer, type FakeProvider, type FakeRequest, type FakeRule } from '../fake-provider.ts'
import { startPipeline, type Pipeline, type PipelineSession } from '../pipeline.ts'

export interface McpPipeline {
  readonly place: CliPlace
  readonly pipeline: Pipeline
  readonly provider: FakeProvider
  readonly workspace: string
  add(server: McpServerInput): Promise<McpServerView>
  /** Adds a server, agrees to start it and to every tool it has. */
  approved(server: McpServerInput): Promise<McpServerView>
  view(name: string): Promise<McpServerView>
  /** One turn in a session of its own: the model makes these calls one after the other, then says `done`. */
  turn(
    calls: readonly { name: string; args: Record<string, unknown> }[],
    answer?: (question: Question, session: PipelineSession) => Answer | undefined,
    options?: TurnOptions,
  ): Promise<McpTurn>
  stop(): Promise<void>
}

export type Question = Extract<SessionEvent, { event: 'permission_request' }>
export type Answer = { decision: 'allow' | 'deny'; text?: string }

export interface McpTurn {
  readonly session: PipelineSession
  readonly requests: FakeRequest[]
  readonly questions: Question[]
  readonly results: Extract<SessionEvent, { event: 'tool_result' }>[]
  readonly end: string
}

export interface TurnOptions {
  /** For requests that are not the conversation's. */
  readonly rules?: readonly FakeRule[]
}

export const allowAll = (): Answer => ({ decision: 'allow' })

export async function startMcpPipeline(): Promise<McpPipeline> {
  const provider = await startFakeProvider()
  const place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-test-0123456789', DEEPSEEK_BASE_URL: provider.baseUrl })
  const pipeline = startPipeline(place)
  await pipeline.open()
  const workspace = await realpath(place.workspace)
  const { client } = pipeline

  const add = (server: McpServerInput): Promise<McpServerView> => client.call('mcp.add', { workspace, server })
  const approved = async (server: McpServerInput): Promise<McpServerView> => {
    const { entry, launchHash } = await add(server)
    const started = await client.call('mcp.approve', { workspace, id: entry.id, launchHash })
    if (started.toolsHash === undefined) throw new Error(`${entry.name} did not start: ${JSON.stringify(started.failure)}`)
    return client.call('mcp.approve', { workspace, id: entry.id, launchHash, toolsHash: started.toolsHash })
  }

  const turn: McpPipeline['turn'] = async (calls, answer = allowAll, { rules = [] } = {}) => {
    await provider.reset()
    const script: FakeAnswer[] = [...calls.map((call) => ({ toolCalls: [call] })), { text: 'done' }]
    await provider.script([...rules, { answers: script }])
    const session = await pipeline.session({ model: 'deepseek/deepseek-v4-pro', interactive: true } as never)
    const answered = new Set<string>()
    const watch = setInterval(() => {
      for (const event of session.events) {
        if (event.event !== 'permission_request' || answered.has(event.argumentsHash)) continue
        answered.add(event.argumentsHash)
        const said = answer(event, session)
        if (said === undefined) continue
        const { decision, text } = said
        void client.call('session.answer', {
          sessionId: session.sessionId,
          toolCallId: event.toolCallId,
          argumentsHash: event.argumentsHash,
          decision,
          ...(text === undefined ? {} : { answer: text }),
        })
      }
    }, 5)
    try {
      await session.prompt(`go ${randomBytes(4).toString('hex')}`)
      const end = await session.ended(1)
      return {
        session,
        requests: await provider.requests(),
        questions: session.events.filter((event) => event.event === 'permission_request'),
        results: session.events.filter((event) => event.event === 'tool_result'),
        end: end.reason,
      }
    } finally {
      clearInterval(watch)
    }
  }

  return {
    place,
    pipeline,
    provider,
    workspace,
    add,
    approved,
    turn,
    view: async (name) => {
      const found = (await client.call('mcp.list', { workspace })).servers.find(({ entry }) => entry.name === name)
      if (found === undefined) throw new Error(`no server ${name}`)
      return found
    },
    stop: async () => {
      await pipeline.stop()
      await provider.stop()
      await place.remove()
    },
  }
}

/** What the model is told of the results of its calls, in order. */
export function toolMessages(request: FakeRequest): string[] {
  const { messages } = request.body as { messages: { role: string; content: string }[] }
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}
