/** `demo/scripted`: no key, no network, no model. A script that calls real tools and reports what they returned. */
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaResponse, MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import { failed } from '../domain/conclude-answer.ts'
import { systemText, toolResultText } from '../domain/message-text.ts'
import { ResponseBuilder } from '../domain/response-builder.ts'
import { normaliseUsage } from '../domain/usage.ts'
import { nextDemoStep } from './demo-script.ts'
import type { AdapterSettings, ProviderAdapter, ProviderInfo, ProviderModule, StreamOptions } from './provider-module.ts'

const info: ProviderInfo = {
  id: 'demo',
  displayName: 'Demo (scripted, no model)',
  keyRequired: false,
  defaultBaseUrl: '',
  defaultModel: 'scripted',
  concurrency: 64,
}

/** Pieces a second, a reader's pace. `METONA_DEMO_RATE` changes it; 0 means without any wait. */
const DEFAULT_RATE = 60

class DemoAdapter implements ProviderAdapter {
  readonly providerId = info.id
  readonly supportedModels = ['scripted']
  readonly #settings: AdapterSettings

  constructor(settings: AdapterSettings) {
    this.#settings = settings
  }

  getContextWindow(model: string): number {
    return this.#settings.table.describe(info.id, model).model.contextWindow
  }

  healthCheck(): Promise<boolean> {
    return Promise.resolve(true)
  }

  listModels(): Promise<MetonaModelInfo[]> {
    return Promise.resolve(this.#settings.table.list(info.id))
  }

  diagnose(model?: string): Promise<Diagnosis> {
    const known = model === undefined || this.supportedModels.includes(model)
    return Promise.resolve({
      provider: info.id,
      ok: known,
      code: known ? 'ok' : 'model_missing',
      message: known ? 'the demo needs nothing' : `the demo has no model "${model}"`,
    })
  }

  send(request: MetonaRequest, options: StreamOptions = {}): Promise<MetonaResponse> {
    return this.#answer(request, () => undefined, options, 0)
  }

  sendStream(request: MetonaRequest, onEvent: (event: MetonaStreamEvent) => void, options: StreamOptions = {}): Promise<MetonaResponse> {
    return this.#answer(request, onEvent, options, demoRate(process.env['METONA_DEMO_RATE']))
  }

  async #answer(
    request: MetonaRequest,
    onEvent: (event: MetonaStreamEvent) => void,
    options: StreamOptions,
    rate: number,
  ): Promise<MetonaResponse> {
    const { now, newToolCallId, sleep } = this.#settings
    const model = request.meta.model ?? 'scripted'
    const builder = new ResponseBuilder({
      provider: info.id,
      model,
      requestId: request.meta.requestId,
      iteration: request.meta.iteration,
      tools: request.tools ?? [],
      now,
      newId: newToolCallId,
      onEvent,
    })
    const aborted = failed({ code: 'user_aborted', message: 'the request was stopped', provider: info.id, retryable: false })
    if (!this.supportedModels.includes(model)) {
      return builder.settle(
        failed({
          code: 'model_not_found',
          message: `the demo has no model "${model}": use demo/scripted`,
          provider: info.id,
          retryable: false,
        }),
      )
    }
    const step = nextDemoStep(request)
    const thinking = request.params.thinkingEnabled ? step.thinking : ''
    let pieces = 0
    const stream = async (text: string, emit: (piece: string) => void): Promise<void> => {
      for (const piece of demoPieces(text)) {
        if (options.signal?.aborted === true) throw new Error('aborted')
        emit(piece)
        pieces += 1
        const open = options.gate?.()
        if (open !== undefined) await open
        if (rate > 0) await sleep(1000 / rate, options.signal)
      }
    }
    const play = async (): Promise<void> => {
      await stream(thinking, (piece) => builder.reasoning(piece))
      const reasoningTokens = pieces
      await stream(step.text, (piece) => builder.text(piece))
      if (step.call !== undefined) {
        // The name is shown before its arguments arrive, as with a real stream.
        builder.toolCall({ index: 0, name: step.call.name })
        await stream(JSON.stringify(step.call.args), (piece) => void builder.toolCall({ index: 0, arguments: piece }))
      }
      builder.usage(normaliseUsage({ input: promptTokens(request), output: pieces, reasoning: reasoningTokens }))
      builder.finish(step.call === undefined ? 'stop' : 'tool_calls')
    }
    try {
      await (options.admit === undefined ? play() : options.admit(play))
    } catch (thrown) {
      if (options.signal?.aborted !== true) throw thrown
      options.onSocketClosed?.(0)
      return builder.settle(aborted)
    }
    return builder.settle(builder.conclude({ how: 'closed' }))
  }
}

export function demoRate(value: string | undefined): number {
  const rate = Number(value)
  return value === undefined || value.trim() === '' || !Number.isFinite(rate) || rate < 0 ? DEFAULT_RATE : rate
}

/** A few characters at a time; a character is never split. */
function demoPieces(text: string): string[] {
  return text.match(/\p{Script=Han}{1,2}|[^\p{Script=Han}]{1,6}/gu) ?? []
}

/** A count of characters over four: there is no tokenizer behind it, as there is no model. */
function promptTokens(request: MetonaRequest): number {
  const texts = [
    systemText(request.systemPrompt),
    ...request.messages.map((message) => message.content + (message.toolResult === undefined ? '' : toolResultText(message.toolResult))),
  ]
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4)
}

export const provider: ProviderModule = { info, create: (settings: AdapterSettings) => new DemoAdapter(settings) }
