/** Buttons that sleep for half a second after they appeared, so that a key held down for something else cannot press them. */
import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue'

/** Long enough for a held or hasty key to come to rest. */
const WAKE_MS = 500

export function useWakeGuard(): Ref<boolean> {
  const awake = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  onMounted(() => {
    timer = setTimeout(() => {
      awake.value = true
    }, WAKE_MS)
  })
  onBeforeUnmount(() => clearTimeout(timer))
  return awake
}
