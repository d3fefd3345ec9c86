/** A server's prompt on its way from `/server:prompt` to text in the field, where the person looks it over before it is sent. */
import type { McpPrompt } from '#contracts/tools/mcp-prompt.ts'
import { useMcpPromptsStore } from '#renderer/stores/mcp-prompts.ts'
import { ref, shallowRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { isComplete, quotePrompt, readPrompt } from './server-prompt.ts'

export interface AskedPrompt {
  readonly workspace: string
  readonly prompt: McpPrompt
  readonly given: Record<string, string>
  /** Whose draft it was asked for in, and the draft as it was. */
  readonly key: string
  readonly draft: string
}

export interface ServerPrompt {
  /** Its arguments are being asked for. */
  readonly asked: Readonly<Ref<AskedPrompt | undefined>>
  readonly busy: Readonly<Ref<boolean>>
  /** @returns whether the message is a prompt; rejects with what went wrong while it was filled. */
  take(message: string, workspace: string | undefined): Promise<boolean>
  fill(given: Record<string, string>): Promise<void>
  /** What is on its way is not waited for. */
  cancel(): void
}

/** The field the filled text is for. */
export interface PromptField {
  /** Whose draft it shows. */
  key(): string
  text(): string
  put(text: string): void
  /** The text came, and the draft had been changed meanwhile: it stays as it is. */
  late(): void
}

export function useServerPrompt(field: PromptField): ServerPrompt {
  const { t } = useI18n()
  const store = useMcpPromptsStore()
  const asked = shallowRef<AskedPrompt>()
  const busy = ref(false)
  let filling: AbortController | undefined

  async function fetchText({ workspace, prompt, given, key, draft }: AskedPrompt): Promise<void> {
    if (busy.value) return
    busy.value = true
    const mine = new AbortController()
    filling = mine
    try {
      const text = await store.fill(workspace, prompt, given, mine.signal)
      if (mine.signal.aborted) return
      const lead = t('command.promptLead', { prompt: prompt.title, server: prompt.server.name })
      const leftOut = text.leftOut.length === 0 ? undefined : t('command.promptLeftOut', { parts: text.leftOut.join(', ') })
      asked.value = undefined
      if (field.key() === key && field.text() === draft) field.put(quotePrompt(text, lead, leftOut))
      else field.late()
    } catch (error) {
      if (!mine.signal.aborted) throw error
    } finally {
      if (filling === mine) busy.value = false
    }
  }

  return {
    asked,
    busy,
    take: async (message, workspace) => {
      const read = workspace === undefined ? undefined : readPrompt(message, (word) => store.find(workspace, word))
      if (read === undefined || workspace === undefined) return false
      const wanted = { workspace, ...read, key: field.key(), draft: message }
      if (isComplete(read)) await fetchText(wanted)
      else asked.value = wanted
      return true
    },
    fill: async (given) => {
      if (asked.value !== undefined) await fetchText({ ...asked.value, given })
    },
    cancel: () => {
      asked.value = undefined
      filling?.abort()
      filling = undefined
      busy.value = false
    },
  }
}
