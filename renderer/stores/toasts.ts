/** Short confirmations, mostly with an undo. Never used for errors: those stay where they happened. */
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

export interface Toast {
  readonly id: number
  /** Locale key of the sentence and its values. */
  readonly text: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly action?: { readonly label: string; run(): void }
  /** Called when it goes without its action having been taken. */
  expired?(): void
}

export const TOAST_MS = 6000

export const useToastsStore = defineStore('toasts', () => {
  const toasts = shallowRef<readonly Toast[]>([])
  let lastId = 0

  function show(toast: Omit<Toast, 'id'>): void {
    for (const crowded of toasts.value.slice(0, -2)) dismiss(crowded.id)
    toasts.value = [...toasts.value, { ...toast, id: ++lastId }]
  }

  function dismiss(id: number): void {
    const toast = take(id)
    toast?.expired?.()
  }

  function act(id: number): void {
    take(id)?.action?.run()
  }

  function take(id: number): Toast | undefined {
    const toast = toasts.value.find((candidate) => candidate.id === id)
    toasts.value = toasts.value.filter((candidate) => candidate.id !== id)
    return toast
  }

  return { toasts, show, dismiss, act }
})
