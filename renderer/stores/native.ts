/** What only the shell can do; where it cannot, the answer says so and the caller has another way. */
import { defineStore } from 'pinia'
import * as z from 'zod'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export type PickedFolder =
  | { readonly kind: 'picked'; readonly path: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'failed'; readonly problem: Problem }

export const useNativeStore = defineStore('native', () => {
  const connection = useConnectionStore()

  async function pickFolder(): Promise<PickedFolder> {
    try {
      const { value } = await connection.call('native.call', { method: 'pickFolder', params: {} })
      const [path] = z.array(z.string()).parse(value)
      return path === undefined ? { kind: 'cancelled' } : { kind: 'picked', path }
    } catch (error) {
      const problem = toProblem(error)
      return problem.code === 'NOT_AVAILABLE' ? { kind: 'unavailable' } : { kind: 'failed', problem }
    }
  }

  /**
   * Opens a link outside the app. The address is checked here and again by the shell; a browser page whose
   * shell has no browser to open opens a tab of its own.
   */
  async function openExternal(address: string): Promise<'opened' | 'refused' | Problem> {
    const url = externalUrl(address)
    if (url === undefined) return 'refused'
    try {
      await connection.call('native.call', { method: 'openExternal', params: { url: url.href } })
      return 'opened'
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code !== 'NOT_AVAILABLE') return problem
      window.open(url.href, '_blank', 'noopener,noreferrer')
      return 'opened'
    }
  }

  /**
   * A word to somebody who looks elsewhere. A browser page whose shell has none uses its own, where that was allowed;
   * else nothing is lost: the question stands in the title and in the list.
   */
  async function notify(notification: { title: string; body: string; sessionId: string }): Promise<void> {
    try {
      await connection.call('native.call', { method: 'notify', params: notification })
    } catch (error) {
      if (toProblem(error).code !== 'NOT_AVAILABLE') return
      if (typeof Notification === 'function' && Notification.permission === 'granted')
        new Notification(notification.title, { body: notification.body, tag: notification.sessionId })
    }
  }

  return { pickFolder, openExternal, notify }
})

/** `https:` and `mailto:`; nothing else leaves the app. */
export function externalUrl(address: string): URL | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'mailto:' ? url : undefined
}
