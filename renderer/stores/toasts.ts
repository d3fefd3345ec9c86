/** Short confirmations, mostly with an undo. Never used for errors: those stay where they happened. */
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

export interface Toast {
  readonly id: number
  /** Locale key of the sentence and its values. */
  readonly text: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly action?: { readonly label: string; run(): void }
}

export const TOAST_MS = 6000

export const useToastsStore = defineStore('toasts', () => {
  const toasts = shallowRef<readonly Toast[]>([])
  let lastId = 0

  function show(toast: Omit<Toast, 'id'>): void {
    toasts.value = [...toasts.value.slice(-2), { ...toast, id: ++lastId }]
  }

  function dismiss(id: number): void {
    toasts.value = toasts.value.filter((toast) => toast.id !== id)
  }

  return { toasts, show, dismiss }
})
