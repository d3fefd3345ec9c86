/** What one adapter file exports, and what it is given. A provider is one such file and one line in the registry. */
import type { AbortSignalLike, IMetonaProviderAdapter, SendOptions } from '#contracts/metona/metona-adapter.ts'
import type { Diagnosis, ProviderDescriptor } from '#contracts/llm/provider-descriptor.ts'
import type { ModelTable } from '../domain/model-table.ts'
import type { Deadlines } from './awake-timer.ts'
import type { Transport } from './transport.ts'

/** The unchanging part of a provider's descriptor. */
export type ProviderInfo = Omit<ProviderDescriptor, 'hasKey'>

export interface AdapterSettings {
  /** Absent or empty: none was given. */
  readonly apiKey: string | undefined
  /** As the person wrote it; absent: the provider's own. */
  readonly baseUrl: string | undefined
  readonly table: ModelTable
  readonly transport: Transport
  readonly deadlines?: Partial<Deadlines>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** A fresh `tc_…`. */
  readonly newToolCallId: () => string
  /** In [0, 1). */
  readonly random: () => number
  /** Rejects with the signal's reason when it aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignalLike | undefined) => Promise<void>
}

/** What a caller inside the llm worker may add to a request. All optional: without them it is the plain standard. */
export interface StreamOptions extends SendOptions {
  /** Runs one attempt when it is its turn (the provider's queue). Rejects when the signal aborts while waiting. */
  readonly admit?: (run: () => Promise<void>) => Promise<void>
  /** Before the wait for another attempt. */
  readonly onRetry?: (retry: { readonly attempt: number; readonly reason: string; readonly delayMs: number }) => void
  /** A refusal with 429 and how long the provider asks to wait, if it says. */
  readonly onRateLimited?: (retryAfterMs: number | undefined) => void
  /** A promise while the receiver of the events cannot keep up: nothing more is read from the socket until it resolves. */
  readonly gate?: () => Promise<void> | undefined
  /** After an abort: how long the socket took to close. */
  readonly onSocketClosed?: (milliseconds: number) => void
  /** Attempts after the first; default 2. */
  readonly maxRetries?: number
}

export interface ProviderAdapter extends IMetonaProviderAdapter {
  sendStream(
    request: Parameters<IMetonaProviderAdapter['sendStream']>[0],
    onEvent: Parameters<IMetonaProviderAdapter['sendStream']>[1],
    options?: StreamOptions,
  ): ReturnType<IMetonaProviderAdapter['sendStream']>
  send(request: Parameters<IMetonaProviderAdapter['send']>[0], options?: StreamOptions): ReturnType<IMetonaProviderAdapter['send']>
  /** Asks the provider and says in words what is wrong. With a model also whether that model can be used. */
  diagnose(model?: string): Promise<Diagnosis>
}

export interface ProviderModule {
  readonly info: ProviderInfo
  create(settings: AdapterSettings): ProviderAdapter
}
