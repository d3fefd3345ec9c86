/** What fits at the caret: commands at once, files from the host. The newest question wins; an older answer is dropped. */
import { useFilesStore } from '#renderer/stores/files.ts'
import { useMcpPromptsStore } from '#renderer/stores/mcp-prompts.ts'
import { computed, onBeforeUnmount, ref, shallowRef, watch, type Ref } from 'vue'
import { findTrigger, type Trigger } from './find-trigger.ts'
import { SLASH_COMMANDS, type SlashCommandName } from './slash-commands.ts'

export type Suggestion =
  | { readonly kind: 'command'; readonly name: SlashCommandName; readonly argument: boolean }
  | { readonly kind: 'prompt'; readonly word: string; readonly title: string; readonly argument: boolean }
  | { readonly kind: 'file'; readonly path: string; readonly at: readonly number[] }

const SHOWN_FILES = 20

const wordOf = (suggestion: Suggestion): string | undefined =>
  suggestion.kind === 'command' ? suggestion.name : suggestion.kind === 'prompt' ? suggestion.word : undefined

export interface Suggestions {
  readonly open: Readonly<Ref<boolean>>
  readonly trigger: Readonly<Ref<Trigger | undefined>>
  readonly list: Readonly<Ref<readonly Suggestion[]>>
  readonly highlighted: Ref<number>
  /** Nothing fits, or files are still being listed, or cannot be. */
  readonly state: Readonly<Ref<'ready' | 'loading' | 'failed'>>
  look(text: string, caret: number): void
  close(): void
}

export function useSuggestions(place: () => { workspace: string | undefined; hasSession: boolean }): Suggestions {
  const files = useFilesStore()
  const prompts = useMcpPromptsStore()
  const trigger = shallowRef<Trigger>()
  const list = shallowRef<readonly Suggestion[]>([])
  const highlighted = ref(0)
  const state = ref<'ready' | 'loading' | 'failed'>('ready')
  /** Closed by Esc: stays closed until another word is begun. */
  let dismissed = -1
  let asking: AbortController | undefined

  function look(text: string, caret: number): void {
    const found = findTrigger(text, caret)
    if (found === undefined || found.from === dismissed) {
      if (found === undefined) dismissed = -1
      return clear()
    }
    trigger.value = found
    suggest(found)
  }

  function suggest({ kind, query }: Trigger): void {
    if (kind === 'command') showCommands(query)
    else void askFiles(query)
  }
  // Begun before the folder had opened: what fits comes with the folder.
  watch(
    () => place().workspace,
    () => trigger.value !== undefined && suggest(trigger.value),
  )

  function showCommands(query: string): void {
    asking?.abort()
    state.value = 'ready'
    const { hasSession, workspace } = place()
    const show = (): void =>
      put([
        ...SLASH_COMMANDS.filter((command) => command.name.startsWith(query) && (hasSession || !command.needsSession)).map(
          ({ name, argument }): Suggestion => ({ kind: 'command', name, argument }),
        ),
        ...prompts.prompts
          .filter(({ word }) => word.toLowerCase().includes(query.toLowerCase()))
          .map(({ word, title, arguments: given }): Suggestion => ({ kind: 'prompt', word, title, argument: given.length > 0 })),
      ])
    show()
    if (workspace === undefined) return
    const before = prompts.prompts
    const mine = trigger.value
    // Servers may be slow to answer: what they have joins the list if the same word is still being typed.
    void prompts.load(workspace).then(() => {
      if (trigger.value === mine && prompts.prompts !== before) show()
    })
  }

  async function askFiles(query: string): Promise<void> {
    const { workspace } = place()
    asking?.abort()
    if (workspace === undefined) {
      list.value = []
      return
    }
    const mine = new AbortController()
    asking = mine
    if (list.value[0]?.kind !== 'file') {
      list.value = []
      state.value = 'loading'
    }
    try {
      const found = await files.find(workspace, query, SHOWN_FILES, mine.signal)
      if (asking !== mine) return
      state.value = 'ready'
      put(found.files.map(({ path, at }): Suggestion => ({ kind: 'file', path, at })))
    } catch {
      // Overtaken by the next letter, or not to be had: then the person types the path.
      if (asking !== mine) return
      list.value = []
      state.value = 'failed'
    }
  }

  function put(next: readonly Suggestion[]): void {
    // What is there to its last letter is what is meant, whatever else begins or ends so.
    const typed = trigger.value?.query
    list.value = next.toSorted((left, right) => Number(wordOf(right) === typed) - Number(wordOf(left) === typed))
    highlighted.value = 0
  }
  function clear(): void {
    asking?.abort()
    asking = undefined
    trigger.value = undefined
    list.value = []
    state.value = 'ready'
  }
  function close(): void {
    dismissed = trigger.value?.from ?? -1
    clear()
  }
  onBeforeUnmount(() => asking?.abort())

  const open = computed(
    () => trigger.value !== undefined && (list.value.length > 0 || (trigger.value.kind === 'file' && place().workspace !== undefined)),
  )
  return { open, trigger, list, highlighted, state, look, close }
}
