/**
 * Nobody is left without a place: when what had the focus goes away (a card is answered, a form closes, a button is
 * disabled, another page comes), the focus goes to the nearest place that is still there. What a person leaves by a press
 * elsewhere stays left. Dialogs and menus give the focus back themselves; this steps in where that place is gone as well.
 */
import { firstFocusable } from '#renderer/ui/first-focusable.ts'
import { onScopeDispose } from 'vue'

/** Their focus comes and goes in front of the page; the place in the page is the one before. */
const IN_FRONT = '[role="dialog"], [role="menu"], [role="listbox"]'

/** @param elsewhere takes the focus where nothing near is left: another page came. */
export function useKeptFocus(elsewhere: () => void): void {
  /** The element that had the focus last in the page itself, and what was around it then, from the inside out. */
  let place: readonly Element[] = []

  function onFocusIn(event: FocusEvent): void {
    const target = event.target as Element
    if (target.closest(IN_FRONT) === null) place = ancestorsOf(target)
  }

  async function onFocusOut(event: FocusEvent): Promise<void> {
    if (event.relatedTarget !== null) return
    const lost = event.target as HTMLElement
    // The browser tells of a removal before it is done; dialogs hand the focus back within two frames.
    await nextFrame()
    await nextFrame()
    if (document.activeElement !== document.body || !document.hasFocus() || canHoldFocus(lost)) return
    const target = targetIn(place)
    if (target === undefined) elsewhere()
    else target.focus({ preventScroll: true })
  }

  document.addEventListener('focusin', onFocusIn)
  document.addEventListener('focusout', onFocusOut)
  onScopeDispose(() => {
    document.removeEventListener('focusin', onFocusIn)
    document.removeEventListener('focusout', onFocusOut)
  })
}

function targetIn(place: readonly Element[]): HTMLElement | undefined {
  const [held] = place
  if (held instanceof HTMLElement && canHoldFocus(held)) return held
  for (const around of place.slice(1)) {
    if (!around.isConnected) continue
    // Beside a page that is gone nothing in the middle is near, and the frame holds everything.
    if (around.matches('[data-pane="main"]') || around.querySelector('[data-pane="main"]') !== null) break
    // Of a long list the first thing is far from where the person was; such a place takes the focus itself.
    const home = around.closest<HTMLElement>('[data-focus-home]') ?? around
    const target = firstFocusable(home)
    if (target !== undefined) return target
  }
  return undefined
}

function ancestorsOf(element: Element): Element[] {
  const chain: Element[] = []
  for (let at: Element | null = element; at !== null; at = at.parentElement) chain.push(at)
  return chain
}

const canHoldFocus = (element: HTMLElement): boolean => element.isConnected && element.checkVisibility() && !element.matches(':disabled')
const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()))
