/** Where the focus goes that is sent to a part of the page: the part itself, else what is current in it, else where one writes, else the first thing. */
const OPERABLE = 'button, textarea, input, select, a[href], [tabindex="0"]'
const BY_PREFERENCE = ['[aria-current]', 'textarea', OPERABLE]

export function firstFocusable(root: HTMLElement | Element): HTMLElement | undefined {
  if (root instanceof HTMLElement && root.matches('[tabindex="0"]')) return root
  for (const wanted of BY_PREFERENCE) {
    const found = [...root.querySelectorAll<HTMLElement>(wanted)].find(takesFocus)
    if (found !== undefined) return found
  }
  return undefined
}

const takesFocus = (element: HTMLElement): boolean =>
  element.matches(OPERABLE) && !element.matches(':disabled, [tabindex="-1"], [hidden], [type="hidden"]') && element.checkVisibility()

/** `v-focus-first`: what opens in place of the button that asked for it takes the focus over, its fields before its buttons. */
export const vFocusFirst = {
  mounted(root: HTMLElement): void {
    const field = root.matches(OPERABLE)
      ? root
      : root.querySelector<HTMLElement>('input:not([type="hidden"]):not([hidden]), textarea, select')
    const target = field ?? firstFocusable(root)
    target?.focus()
  },
}
