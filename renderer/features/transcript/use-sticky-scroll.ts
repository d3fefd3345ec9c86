/**
 * Keeps a scrolling region at its end while content is appended, but only as long as the reader is there.
 * Scrolling up lets go at once; coming back to the end holds on again. Never moves someone who reads.
 */
import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue'

/** Close enough to the end to count as being there, in pixels. */
const NEAR = 32

export interface StickyScroll {
  readonly atEnd: Ref<boolean>
  toEnd(): void
}

export function useStickyScroll(region: Ref<HTMLElement | null>, content: Ref<HTMLElement | null>): StickyScroll {
  const atEnd = ref(true)
  let observer: ResizeObserver | undefined

  const toEnd = (): void => {
    const element = region.value
    if (element === null) return
    element.scrollTop = element.scrollHeight
    atEnd.value = true
  }
  const onScroll = (): void => {
    const element = region.value
    if (element !== null) atEnd.value = element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR
  }
  // A growing page also raises scroll events; only what the reader does may let go before they are handled.
  const onWheel = (event: WheelEvent): void => {
    const element = region.value
    if (event.deltaY < 0 && element !== null && element.scrollHeight > element.clientHeight) atEnd.value = false
  }

  onMounted(() => {
    region.value?.addEventListener('scroll', onScroll, { passive: true })
    region.value?.addEventListener('wheel', onWheel, { passive: true })
    observer = new ResizeObserver(() => {
      if (atEnd.value) toEnd()
    })
    if (region.value !== null) observer.observe(region.value)
    if (content.value !== null) observer.observe(content.value)
    toEnd()
  })
  onBeforeUnmount(() => {
    observer?.disconnect()
    region.value?.removeEventListener('scroll', onScroll)
    region.value?.removeEventListener('wheel', onWheel)
  })
  return { atEnd, toEnd }
}
