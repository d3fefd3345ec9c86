/** Buttons that sleep for half a second after they appeared, so that a key held down for something else cannot press them. */
import { onBeforeUnmount, onMounted, ref, watch, type Ref } from 'vue'

/** Long enough for a held or hasty key to come to rest. */
const WAKE_MS = 500

/** @param place what moves the buttons under a finger that is already on its way: then they sleep again */
export function useWakeGuard(place: () => unknown = () => undefined): Ref<boolean> {
  const awake = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  const sleep = (): void => {
    awake.value = false
    clearTimeout(timer)
    timer = setTimeout(() => {
      awake.value = true
    }, WAKE_MS)
  }
  onMounted(sleep)
  watch(place, sleep)
  onBeforeUnmount(() => clearTimeout(timer))
  return awake
}
