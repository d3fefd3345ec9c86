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
}

export interface ServerPrompt {
  /** Its arguments are being asked for. */
  readonly asked: Readonly<Ref<AskedPrompt | undefined>>
  readonly busy: Readonly<Ref<boolean>>
  /** @returns whether the message is a prompt; rejects with what went wrong while it was filled. */
  take(message: string, workspace: string | undefined): Promise<boolean>
  fill(given: Record<string, string>): Promise<void>
  cancel(): void
}

/** @param put gets the filled text. */
export function useServerPrompt(put: (text: string) => void): ServerPrompt {
  const { t } = useI18n()
  const store = useMcpPromptsStore()
  const asked = shallowRef<AskedPrompt>()
  const busy = ref(false)

  async function fetchText({ workspace, prompt, given }: AskedPrompt): Promise<void> {
    if (busy.value) return
    busy.value = true
    try {
      const text = await store.fill(workspace, prompt, given)
      const lead = t('command.promptLead', { prompt: prompt.title, server: prompt.server.name })
      const leftOut = text.leftOut.length === 0 ? undefined : t('command.promptLeftOut', { parts: text.leftOut.join(', ') })
      asked.value = undefined
      put(quotePrompt(text, lead, leftOut))
    } finally {
      busy.value = false
    }
  }

  return {
    asked,
    busy,
    take: async (message, workspace) => {
      const read = workspace === undefined ? undefined : readPrompt(message, (word) => store.find(workspace, word))
      if (read === undefined || workspace === undefined) return false
      if (isComplete(read)) await fetchText({ workspace, ...read })
      else asked.value = { workspace, ...read }
      return true
    },
    fill: async (given) => {
      if (asked.value !== undefined) await fetchText({ ...asked.value, given })
    },
    cancel: () => {
      asked.value = undefined
    },
  }
}
