/** What all HTTP providers share: the exchange, framing, deadlines, retries, errors, abort. Subclasses know one wire. */
import type { AbortSignalLike, MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaError, MetonaResponse, MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import { apiRoot, checkKey, type BaseUrlRule } from '../domain/check-settings.ts'
import { failed } from '../domain/conclude-answer.ts'
import { mapFailure, type FailureReport } from '../domain/map-error.ts'
import type { LiveModel } from '../domain/model-table.ts'
import { ResponseBuilder } from '../domain/response-builder.ts'
import { readRetryAfter, retryDelay } from '../domain/retry-policy.ts'
import { diagnose } from '../diagnose.ts'
import { readAnswer } from './read-answer.ts'
import type { Deadlines } from './awake-timer.ts'
import type { AdapterSettings, ProviderAdapter, ProviderInfo, StreamOptions } from './provider-module.ts'
import type { WireContext, WireParser, WireRequest } from './wire-parser.ts'
import { writeRequest } from './write-request.ts'

const defaultDeadlines: Deadlines = { connectMs: 15_000, firstByteMs: 180_000, idleMs: 45_000, totalMs: 3_600_000, trailerMs: 5_000 }

/** Refusals one request may be repeated for with something left out. */
const MAX_LESSONS = 3

/** `status` is there when the provider answered at all. */
interface Refused {
  readonly ok: false
  readonly error: MetonaError
  readonly status?: number | undefined
}
export type JsonAnswer = { readonly ok: true; readonly body: unknown } | Refused
export type LiveList = { readonly ok: true; readonly models: LiveModel[] } | Refused

export abstract class BaseAdapter implements ProviderAdapter {
  readonly providerId: string
  protected readonly info: ProviderInfo
  protected readonly settings: AdapterSettings
  #liveInFlight: Promise<LiveList> | undefined

  constructor(info: ProviderInfo, settings: AdapterSettings) {
    this.providerId = info.id
    this.info = info
    this.settings = settings
  }

  /** Writes the request. May ask the provider first; a `context.builder.fail` ends the attempt before anything is sent. */
  protected abstract buildRequest(context: WireContext): WireRequest | Promise<WireRequest>
  protected abstract createParser(context: WireContext): WireParser
  /** Path of the model list below the API root. */
  protected abstract readonly modelsPath: string
  /** Reads the model list's body; entries that are no chat models are left out. */
  protected abstract readModels(body: unknown): LiveModel[]

  /** Under what the paths stand; see `apiRoot`. */
  protected readonly baseUrlRule: BaseUrlRule = { versionPath: '/v1', keepOwnPath: false }

  /** Overrides of the shared deadlines for this provider. */
  protected readonly deadlines: Partial<Deadlines> = {}

  protected authorization(apiKey: string): Record<string, string> {
    return { authorization: `Bearer ${apiKey}` }
  }

  /** Last word on a failure the shared table has mapped. */
  protected refineError(error: MetonaError, _report: FailureReport): MetonaError {
    return error
  }

  /**
   * After a refusal of which nothing was shown: whether the adapter now knows what to leave out, so that the
   * request is worth repeating at once. Must say so only once for one cause.
   */
  protected learnFrom(_error: MetonaError, _model: string, _request: MetonaRequest): boolean {
    return false
  }

  get supportedModels(): string[] {
    return this.settings.table.list(this.providerId).map((model) => model.id)
  }

  getContextWindow(model: string): number {
    return this.modelInfo(model).contextWindow
  }

  async healthCheck(): Promise<boolean> {
    return (await this.diagnose()).ok
  }

  /** The live list completed from the table. Rejects with nothing: an unreachable provider gives the table alone. */
  async listModels(): Promise<MetonaModelInfo[]> {
    const answer = await this.#liveOnce()
    return answer.ok ? this.settings.table.merge(this.providerId, answer.models) : this.settings.table.list(this.providerId)
  }

  async diagnose(model?: string): Promise<Diagnosis> {
    const answer = await this.#liveOnce()
    const found = diagnose({
      info: this.info,
      baseUrl: this.baseUrl(),
      model,
      successor: model === undefined ? undefined : this.settings.table.successorOf(this.providerId, model),
      ...(answer.ok ? { models: answer.models } : { error: answer.error, status: answer.status }),
    })
    return found.ok ? ((await this.checkAccount()) ?? found) : found
  }

  /** The provider's own list, or why there is none. */
  protected async liveModels(): Promise<LiveList> {
    const answer = await this.getJson(this.modelsPath)
    return answer.ok ? { ok: true, models: this.readModels(answer.body) } : answer
  }

  /** What the list cannot tell: whether the account may be used. Asked only when the list could be had. */
  protected checkAccount(): Promise<Diagnosis | undefined> {
    return Promise.resolve(undefined)
  }

  /** A list and a diagnosis are often wanted at once: one question to the provider answers both. */
  #liveOnce(): Promise<LiveList> {
    this.#liveInFlight ??= this.liveModels()
      .catch((thrown: unknown): LiveList => ({
        ok: false,
        error: this.ownError('invalid_response', `the model list has an unexpected shape (${messageOf(thrown)})`),
      }))
      .finally(() => {
        this.#liveInFlight = undefined
      })
    return this.#liveInFlight
  }

  send(request: MetonaRequest, options: StreamOptions = {}): Promise<MetonaResponse> {
    return this.#run(request, () => undefined, options, false)
  }

  sendStream(request: MetonaRequest, onEvent: (event: MetonaStreamEvent) => void, options: StreamOptions = {}): Promise<MetonaResponse> {
    return this.#run(request, onEvent, options, true)
  }

  protected modelInfo(model: string): MetonaModelInfo {
    return this.settings.table.describe(this.providerId, model).model
  }

  /** As the person or the provider has it. */
  protected baseUrl(): string {
    return this.settings.baseUrl === undefined || this.settings.baseUrl.trim() === '' ? this.info.defaultBaseUrl : this.settings.baseUrl
  }

  protected ownError(code: MetonaError['code'], message: string, extra: Partial<MetonaError> = {}): MetonaError {
    return { code, message, provider: this.providerId, retryable: code === 'invalid_response' || code === 'parse_error', ...extra }
  }

  protected failure(report: Omit<FailureReport, 'provider'>): MetonaError {
    const whole: FailureReport = { provider: this.providerId, ...report }
    const error = this.refineError(mapFailure(whole), whole)
    const successor = error.code === 'model_not_found' ? this.settings.table.successorOf(this.providerId, report.model) : undefined
    return successor === undefined ? error : { ...error, message: `${error.message} (${report.model} was switched off: use ${successor})` }
  }

  /** One GET (or POST, when `body` is given) that answers JSON: model lists, balances, descriptions. */
  protected async getJson(
    path: string,
    options: {
      readonly body?: unknown
      readonly model?: string
      readonly deadlines?: Partial<Deadlines>
      readonly headers?: Readonly<Record<string, string>>
      readonly signal?: AbortSignalLike | undefined
    } = {},
  ): Promise<JsonAnswer> {
    const wrong = this.checkSettings()
    if (wrong !== undefined) return { ok: false, error: wrong }
    let document: unknown
    const wire: WireRequest = {
      method: options.body === undefined ? 'GET' : 'POST',
      path,
      framing: 'sse',
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      ...(options.body === undefined ? {} : { body: options.body }),
    }
    const parts = this.#exchangeParts(wire, false)
    let status: number | undefined
    const result = await readAnswer({
      ...parts,
      fail: (report) => {
        status = report.status
        return parts.fail(report)
      },
      deadlines: { ...defaultDeadlines, firstByteMs: 30_000, totalMs: 60_000, ...this.settings.deadlines, ...options.deadlines },
      model: options.model ?? '',
      signal: options.signal,
      gate: undefined,
      onSocketClosed: undefined,
      reader: { feed: () => undefined, document: (body) => (document = body), state: () => 'reading' },
    })
    if (result.kind === 'failed') return { ok: false, error: result.error, status }
    if (document === undefined)
      return { ok: false, error: this.ownError('invalid_response', 'the provider answered without a JSON document') }
    return { ok: true, body: document }
  }

  /** What is wrong before any request, if anything. */
  protected checkSettings(): MetonaError | undefined {
    const key = checkKey(this.settings.apiKey, {
      provider: this.providerId,
      displayName: this.info.displayName,
      required: this.info.keyRequired,
      variable: this.info.keyVariable,
    })
    if (key !== undefined) return key
    if (this.#root() === undefined)
      return this.ownError('unknown', `the base URL ${JSON.stringify(this.baseUrl())} is no http or https address`, {
        providerCode: 'BASE_URL_INVALID',
      })
    return undefined
  }

  async #run(
    request: MetonaRequest,
    onEvent: (event: MetonaStreamEvent) => void,
    options: StreamOptions,
    stream: boolean,
  ): Promise<MetonaResponse> {
    const admit = options.admit ?? ((run) => run())
    let lessons = 0
    for (let attempt = 1; ; attempt += 1) {
      const builder = this.#createBuilder(request, onEvent)
      const wrong = this.checkSettings()
      if (wrong !== undefined) return builder.settle(failed(wrong))
      let conclusion = failed(this.#aborted())
      try {
        if (options.signal?.aborted !== true) {
          await admit(async () => {
            conclusion = await this.#attempt(request, builder, options, stream)
          })
        }
      } catch (thrown) {
        conclusion = failed(
          options.signal?.aborted === true
            ? this.#aborted()
            : this.ownError('unknown', `the request could not be made (${messageOf(thrown)})`, { providerCode: 'INTERNAL' }),
        )
      }
      const error = conclusion.error
      if (error !== undefined && !builder.visible && lessons < MAX_LESSONS && this.learnFrom(error, this.#model(request), request)) {
        lessons += 1
        attempt -= 1
        continue
      }
      if (error?.code === 'rate_limited') options.onRateLimited?.(error.retryAfterMs)
      const delayMs =
        error === undefined
          ? undefined
          : retryDelay({ error, attempt, visible: builder.visible, random: this.settings.random(), maxRetries: options.maxRetries })
      if (error === undefined || delayMs === undefined) return builder.settle(conclusion)
      options.onRetry?.({ attempt, reason: error.message, delayMs })
      try {
        await this.settings.sleep(delayMs, options.signal)
      } catch {
        // The only reason to wake early is the abort.
        return builder.settle(failed(this.#aborted()))
      }
    }
  }

  async #attempt(
    request: MetonaRequest,
    builder: ResponseBuilder,
    options: StreamOptions,
    stream: boolean,
  ): Promise<ReturnType<ResponseBuilder['conclude']>> {
    const context = this.#context(request, builder, stream, options.signal)
    const parser = this.createParser(context)
    const wire = await this.buildRequest(context)
    if (builder.failure !== undefined) return builder.conclude({ how: 'closed' })
    const result = await readAnswer({
      ...this.#exchangeParts(wire, stream),
      deadlines: { ...defaultDeadlines, ...(stream ? {} : { firstByteMs: 600_000 }), ...this.deadlines, ...this.settings.deadlines },
      model: context.model,
      signal: options.signal,
      gate: options.gate,
      onSocketClosed: options.onSocketClosed,
      reader: {
        feed: (frame) => parser.feed(frame),
        document: (body) => parser.document(body),
        state: () => (builder.over ? 'over' : builder.finished ? 'finished' : 'reading'),
      },
    })
    if (result.kind === 'failed') {
      builder.fail(result.error)
      // After a finish the answer is whole, whatever became of the connection; an abort is an abort.
      if (result.error.code === 'user_aborted') return failed(result.error)
    }
    const end = result.kind === 'ended' ? result.end : { how: 'cut' as const }
    if (builder.failure === undefined) parser.end?.(end)
    return builder.conclude(end)
  }

  #exchangeParts(wire: WireRequest, stream: boolean) {
    const key = this.settings.apiKey
    return {
      ...writeRequest(
        wire,
        stream,
        this.#root() ?? { root: this.info.defaultBaseUrl, search: '' },
        key === undefined || key === '' ? {} : this.authorization(key),
      ),
      transport: this.settings.transport,
      framing: wire.framing,
      stream,
      provider: this.providerId,
      refine: (error: MetonaError) => this.refineError(error, { provider: this.providerId, model: '', body: undefined }),
      fail: (report: Omit<FailureReport, 'provider'>) =>
        this.failure({
          ...report,
          retryAfterMs: report.headers === undefined ? undefined : readRetryAfter(report.headers, this.settings.now()),
        }),
    }
  }

  #context(request: MetonaRequest, builder: ResponseBuilder, stream: boolean, signal: AbortSignalLike | undefined): WireContext {
    const model = this.#model(request)
    return { request, model, info: this.modelInfo(model), stream, baseUrl: this.#root()?.root ?? this.info.defaultBaseUrl, builder, signal }
  }

  #createBuilder(request: MetonaRequest, onEvent: (event: MetonaStreamEvent) => void): ResponseBuilder {
    return new ResponseBuilder({
      provider: this.providerId,
      model: this.#model(request),
      requestId: request.meta.requestId,
      iteration: request.meta.iteration,
      tools: request.tools ?? [],
      now: this.settings.now,
      newId: this.settings.newToolCallId,
      onEvent,
    })
  }

  #model(request: MetonaRequest): string {
    return request.meta.model ?? this.info.defaultModel ?? ''
  }

  #root(): { root: string; search: string } | undefined {
    return apiRoot(this.baseUrl(), this.baseUrlRule, (text) => URL.parse(text) ?? undefined)
  }

  #aborted(): MetonaError {
    return this.ownError('user_aborted', 'the request was stopped')
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
