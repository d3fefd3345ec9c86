/** One ticking second for every elapsed time on the page; it ticks only while something shows one. */
import { defineStore } from 'pinia'
import { onScopeDispose, ref } from 'vue'

export const useClockStore = defineStore('clock', () => {
  const now = ref(Date.now())
  let watchers = 0
  let timer: ReturnType<typeof setInterval> | undefined

  /** Keeps the clock running as long as the calling component lives. */
  function use(): void {
    watchers += 1
    now.value = Date.now()
    timer ??= setInterval(() => {
      now.value = Date.now()
    }, 1000)
    onScopeDispose(() => {
      watchers -= 1
      if (watchers > 0) return
      clearInterval(timer)
      timer = undefined
    })
  }

  return { now, use }
})
