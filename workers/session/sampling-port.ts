/** Answers what an MCP server asks the session's model while one of its calls runs. The person's yes was had in that call. */
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { MCP_CALL_PREFIX } from '#contracts/tools/mcp-offered-name.ts'
import { samplingPort, type SamplingRequest } from '#contracts/tools/sampling-port.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { expose } from '#contracts/wire/expose.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { SpendingEnd } from './domain/spending-limits.ts'
import { newId } from './new-id.ts'
import { sideRequest, type SideRequestOrder } from './side-request.ts'

export interface SamplingOrder extends Omit<SideRequestOrder, 'signal'> {
  /** Why nothing more may be spent. */
  spendingEnd(): SpendingEnd | undefined
}

/** The end for the tool, and how to close it, which stops what still runs; nothing for tools that are no server's. */
export function openSamplingPort(order: SamplingOrder, tool: string): { port?: Port; close(): void } {
  if (!tool.startsWith(MCP_CALL_PREFIX)) return { close: () => undefined }
  const channel = new MessageChannel()
  const { target, spendingEnd } = order
  const close = expose(
    samplingPort,
    {
      sample: async (asked, { signal }) => {
        const spent = spendingEnd()
        if (spent !== undefined) throw new AppError({ code: 'SPENDING_LIMIT', message: spent.error.message })
        const response = await sideRequest({ ...order, signal }, toRequest(order.session.sessionId, order, asked), 'sampling')
        const { finishReason, error, content } = response
        if (finishReason === 'error' || finishReason === 'aborted')
          throw new AppError({ code: 'MODEL_FAILED', message: error?.message ?? 'the request was stopped' })
        return { text: content, model: response.meta.model || target.model, cut: finishReason === 'length' }
      },
    },
    channel.port1 as unknown as Port,
  )
  channel.port1.start()
  return { port: channel.port2 as unknown as Port, close }
}

function toRequest(
  sessionId: string,
  { services }: SamplingOrder,
  { systemPrompt, messages, maxTokens, temperature, stop }: SamplingRequest,
): MetonaRequest {
  const timestamp = Date.now()
  return {
    meta: { sessionId, iteration: 0, requestId: newId('r'), timestamp, agentVersion: services.context.data.agentVersion },
    systemPrompt: { roleDefinition: systemPrompt, outputConstraints: '', safetyGuidelines: '' },
    messages: messages.map(({ role, text }) => ({ role, content: text, timestamp, id: newId('m') })),
    params: {
      stream: true,
      thinkingEnabled: false,
      maxTokens,
      ...(temperature === undefined ? {} : { temperature }),
      ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    },
  }
}
