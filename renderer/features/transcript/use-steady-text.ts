/**
 * An answer that comes faster than anybody reads is shown a piece a frame: laid out all at once, each burst would hold up
 * typing for a tenth of a second. What is slower than that is not touched, and the end of the stream shows all of it.
 */
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { AssistantItem } from '#contracts/session/transcript-items.ts'
import { computed, onBeforeUnmount, ref, type ComputedRef } from 'vue'

/** Characters more a frame: some 200 KB a second. */
const MOST_MORE = 3_500

/** @returns the snapshot with as much of the streaming answer as is to be on screen now. */
export function useSteadyText(snapshot: () => SessionSnapshot): ComputedRef<SessionSnapshot> {
  /** Counts frames in which more was to be shown. */
  const frames = ref(0)
  let lastFrame = 0
  let frame: number | undefined
  let shown: { readonly id: string; length: number } | undefined
  let isFirst = true
  onBeforeUnmount(() => {
    if (frame !== undefined) cancelAnimationFrame(frame)
  })

  return computed(() => {
    const now = snapshot()
    const mayGrow = frame === undefined || frames.value !== lastFrame
    lastFrame = frames.value
    const at = now.items.findLastIndex((item) => item.kind === 'assistant')
    const item = now.items[at]
    if (item?.kind !== 'assistant' || item.status !== 'streaming') {
      shown = undefined
      isFirst = false
      return now
    }
    const { text } = item
    // What was there when the conversation came on screen needs no catching up.
    if (shown?.id !== item.id) shown = { id: item.id, length: isFirst ? text.length : 0 }
    isFirst = false
    if (mayGrow) shown.length = Math.min(text.length, shown.length + MOST_MORE)
    if (shown.length >= text.length) return now
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      frames.value += 1
    })
    const items = [...now.items]
    items[at] = { ...item, text: wholeCharacters(text, shown.length) } satisfies AssistantItem
    return { ...now, items }
  })
}

/** Not ending within a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length)
}
