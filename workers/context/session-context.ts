/** What the context thread keeps of one session between builds. */
import type { CompactionState } from '#contracts/context/compaction.ts'
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { applyForm, type MessageForm } from './domain/assemble-history.ts'
import { messageKey } from './domain/message-text.ts'
import type { StableTools } from './domain/stable-tools.ts'
import { summaryMessage } from './domain/summary-message.ts'
import type { FrozenPrompt } from './domain/system-prompt.ts'
import { withTurnContext } from './domain/turn-context.ts'
import type { PartitionFile } from './domain/workspace-text.ts'
import { InstructionFiles } from './instruction-files.ts'
import type { Anchor, SentRequest } from './estimate.ts'
import { ListHash } from './list-hash.ts'
import { TokenMeter } from './token-meter.ts'

/** More than one compaction ever tries. */
const MOST_SUMMARIES = 24

export interface PendingPlan {
  readonly planId: string
  readonly mode: 'suffix' | 'separate'
  readonly reason: 'automatic' | 'manual'
  readonly instructions: string | undefined
  readonly carryOver: readonly string[]
  readonly now: number
}

export class SessionContext {
  readonly sessionId: string
  readonly workspace: string
  /** As received, never rewritten. */
  readonly history: MetonaMessage[] = []
  state: CompactionState | undefined
  /** Length of the history at the last compaction. */
  compactedAt = 0
  frozen: FrozenPrompt | undefined
  /** After a compaction the files are read anew; until then the prompt keeps its bytes. */
  renewPrompt = false
  readonly files: InstructionFiles
  /** Texts of the four files where they changed since freezing. */
  changes: Partial<Record<PartitionFile, string>> = {}
  tools: StableTools | undefined
  /** Frozen text by message key; empty where a message has none. */
  readonly turnContexts = new Map<string, string>()
  announcedGoal: string | undefined
  /** AGENTS.md below the root, and the message that carries each. */
  readonly folderRules = new Map<string, string>()
  readonly hash = new ListHash<MetonaMessage>()
  /** The last build's input besides its messages. */
  input: BuildTask | undefined
  sent: SentRequest | undefined
  anchor: Anchor | undefined
  /** Reports so far; the first one has nothing to be measured against. */
  reports = 0
  plan: PendingPlan | undefined
  /** Lowered when a provider refused a request that should have fitted. */
  ceiling: { readonly provider: string; readonly model: string; readonly tokens: number } | undefined

  readonly #meters = new Map<string, TokenMeter>()
  readonly #forms = new WeakMap<MetonaMessage, Map<MessageForm, MetonaMessage>>()
  readonly #summaries = new Map<string, MetonaMessage>()
  readonly #counts: BuildTask['counts']

  constructor(input: BuildTask) {
    this.sessionId = input.sessionId
    this.workspace = input.workspace
    this.files = new InstructionFiles(input.workspace)
    this.#counts = input.counts
  }

  meter(provider: string, model: string): TokenMeter {
    const key = `${provider}/${model}`
    let meter = this.#meters.get(key)
    if (meter === undefined) {
      meter = new TokenMeter(provider, model, this.#counts)
      this.#meters.set(key, meter)
    }
    return meter
  }

  /** A message in a form, the same object each time, so that counts, hashes and prefixes are told by identity. */
  readonly form = (message: MetonaMessage, form: MessageForm): MetonaMessage => {
    let forms = this.#forms.get(message)
    if (forms === undefined) {
      forms = new Map()
      this.#forms.set(message, forms)
    }
    let sent = forms.get(form)
    if (sent === undefined) {
      sent = form === 'whole' ? withTurnContext(message, this.#blockOf(message)) : applyForm(this.form(message, 'whole'), form)
      forms.set(form, sent)
    }
    return sent
  }

  /** The message of a state's summary, the same object for the same text, also after other candidates were tried. */
  readonly summary = (state: CompactionState): MetonaMessage => {
    const text = state.summary ?? ''
    const key = `${state.keptFrom}:${text}`
    let message = this.#summaries.get(key)
    if (message === undefined) {
      if (this.#summaries.size >= MOST_SUMMARIES) this.#summaries.delete(this.#summaries.keys().next().value ?? '')
      message = summaryMessage(text, (this.history[state.keptFrom - 1] ?? this.history[0])?.timestamp ?? 0)
    } else this.#summaries.delete(key)
    this.#summaries.set(key, message)
    return message
  }

  #blockOf(message: MetonaMessage): string | undefined {
    const key = messageKey(message)
    const block = key === undefined ? message.turnContext : this.turnContexts.get(key)
    return block === '' ? undefined : block
  }
}
