/** F6 goes round: side, conversation (or whatever page is in the middle), composer, inspector. */
import { firstFocusable } from '#renderer/ui/first-focusable.ts'
import { testIds } from '#renderer/ui/test-ids.ts'

const INSIDE = [`[data-testid="${testIds.transcript}"]`, `[data-testid="${testIds.composer}"]`]
const MIDDLE = '[data-pane="main"]'

export function focusNextPane(backwards: boolean): void {
  const inside = INSIDE.map(find).filter((pane) => pane !== null)
  const middle = inside.length > 0 ? inside : [find(MIDDLE)]
  const panes = [find('[data-pane="side"]'), ...middle, find('[data-pane="inspector"]')].filter((pane) => pane !== null)
  const now = panes.findIndex((pane) => pane.contains(document.activeElement))
  const step = backwards ? -1 : 1
  const pane = panes[(now + step + panes.length) % Math.max(1, panes.length)]
  if (pane === undefined) return
  const target = firstFocusable(pane) ?? pane
  target.focus()
}

const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector)
