/** F6 goes round: side, conversation, composer, inspector. */
import { testIds } from '#renderer/ui/test-ids.ts'

const PANES = [
  '[data-pane="side"]',
  `[data-testid="${testIds.transcript}"]`,
  `[data-testid="${testIds.composer}"]`,
  '[data-pane="inspector"]',
]
const FOCUSABLE = 'button:not([disabled]):not([tabindex="-1"]), textarea, input, [tabindex="0"]'

export function focusNextPane(backwards: boolean): void {
  const panes = PANES.map((selector) => document.querySelector<HTMLElement>(selector)).filter((pane) => pane !== null)
  const now = panes.findIndex((pane) => pane.contains(document.activeElement))
  const step = backwards ? -1 : 1
  const pane = panes[(now + step + panes.length) % Math.max(1, panes.length)]
  if (pane === undefined) return
  const target = pane.matches('[tabindex="0"]')
    ? pane
    : (pane.querySelector<HTMLElement>('[aria-current][tabindex="0"], textarea') ?? pane.querySelector<HTMLElement>(FOCUSABLE))
  target?.focus()
}
