/**
 * One step a second, in time with the clocks, for what shows that something lives. An endless CSS animation would keep
 * the page drawing sixty frames a second, and cost more than all text that streams in.
 */
import { useClockStore } from '#renderer/stores/clock.ts'
import { watch } from 'vue'

/** Steps until the loop begins anew; `base.css` names each of them. */
const STEPS = 4

export function useBeat(): void {
  const clock = useClockStore()
  watch(
    () => clock.now,
    (now) => (document.documentElement.dataset['beat'] = String(Math.floor(now / 1000) % STEPS)),
  )
}
