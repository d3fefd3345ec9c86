/**
 * Keeps a scrolling region at its end while content is appended, but only as long as the reader is there. What the
 * reader does lets go at once, and coming back to the end holds on again. Growth, measuring and jumps of the page
 * itself never count as the reader's wish.
 */
import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue'

/** Close enough to the end to count as being there, in pixels. */
const NEAR = 32
/** So long after a key, wheel or press a scroll counts as the reader's, in milliseconds. */
const INTENT_MS = 600
const UPWARD_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home'])

export interface StickyScroll {
  readonly atEnd: Ref<boolean>
  toEnd(): void
  /** Somewhere else was asked for: what comes in does not pull away from there. */
  release(): void
}

export function useStickyScroll(region: Ref<HTMLElement | null>, content: Ref<HTMLElement | null>): StickyScroll {
  const atEnd = ref(true)
  let observer: ResizeObserver | undefined
  let intentAt = -Infinity
  let pressed = false
  let lastTop = 0

  const toEnd = (): void => {
    const element = region.value
    if (element === null) return
    element.scrollTop = element.scrollHeight
    lastTop = element.scrollTop
    atEnd.value = true
  }
  const release = (): void => {
    const element = region.value
    // Where all of it is on screen there is no way from the end.
    if (element !== null && element.scrollHeight - element.clientHeight > NEAR) atEnd.value = false
  }
  const intends = (): void => {
    intentAt = performance.now()
  }
  const onScroll = (): void => {
    const element = region.value
    if (element === null) return
    const near = element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR
    const meant = pressed || performance.now() - intentAt < INTENT_MS
    if (near && (meant || element.scrollTop > lastTop)) atEnd.value = true
    else if (!near && meant && element.scrollTop < lastTop) atEnd.value = false
    lastTop = element.scrollTop
  }
  const onWheel = (event: WheelEvent): void => {
    intends()
    const element = region.value
    if (event.deltaY < 0 && element !== null && element.scrollHeight > element.clientHeight && !scrollsInside(event, element))
      atEnd.value = false
  }
  const onKey = (event: KeyboardEvent): void => {
    if (UPWARD_KEYS.has(event.key) || event.key === ' ' || event.key === 'PageDown' || event.key === 'End') intends()
  }
  // The bar at the side belongs to the region itself.
  const onDown = (event: PointerEvent): void => {
    pressed = event.target === region.value || event.pointerType === 'touch'
    intends()
  }
  const onUp = (): void => {
    pressed = false
  }

  onMounted(() => {
    const element = region.value
    element?.addEventListener('scroll', onScroll, { passive: true })
    element?.addEventListener('wheel', onWheel, { passive: true })
    element?.addEventListener('touchmove', intends, { passive: true })
    element?.addEventListener('keydown', onKey)
    element?.addEventListener('pointerdown', onDown)
    window.addEventListener('pointerup', onUp)
    observer = new ResizeObserver(() => {
      if (atEnd.value) toEnd()
    })
    if (element !== null) observer.observe(element)
    if (content.value !== null) observer.observe(content.value)
    toEnd()
  })
  onBeforeUnmount(() => {
    observer?.disconnect()
    window.removeEventListener('pointerup', onUp)
  })
  return { atEnd, toEnd, release }
}

/** Something inside that scrolls by itself takes this wheel. */
function scrollsInside(event: WheelEvent, outer: HTMLElement): boolean {
  for (let node = event.target instanceof Element ? event.target : null; node !== null && node !== outer; node = node.parentElement)
    if (node.scrollHeight > node.clientHeight && node.scrollTop > 0 && getComputedStyle(node).overflowY === 'auto') return true
  return false
}
