/** The one client of this page, the state of its connection, and the host's banners. Other stores call the host through it. */
import type { Banner } from '#contracts/session/client-protocol.ts'
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import {
  HostClient,
  ClientErrorCode,
  type CallOptions,
  type MethodInput,
  type MethodName,
  type MethodOutput,
} from '#renderer/ipc/host-client.ts'
import type { LinkOptions, LinkState } from '#renderer/ipc/link.ts'
import { pickTransport } from '#renderer/ipc/pick-transport.ts'
import type { SessionFeed } from '#renderer/ipc/session-feed.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

export interface ListListener {
  (rows: readonly SessionSummary[], removed: readonly string[]): void
}

export const useConnectionStore = defineStore('connection', () => {
  const link = shallowRef<LinkState>({ state: 'connecting', attempt: 0 })
  const banners = shallowRef<readonly Banner[]>([])
  /** Set once the host sent something this page cannot read. */
  const incompatible = ref(false)
  /** True after the first successful connection: from then on a closed one is a loss, not a start. */
  const wasOpen = ref(false)
  const offline = ref(false)
  /** Whether the person can see the page; a tab in the background shows nothing to anybody. */
  const visible = ref(true)
  const isOpen = computed(() => link.value.state === 'open')
  const isLost = computed(() => wasOpen.value && !isOpen.value)

  let client: HostClient | undefined
  const readyListeners: (() => Promise<void> | void)[] = []
  const listListeners: ListListener[] = []
  const { promise: firstOpen, resolve: opened } = Promise.withResolvers<void>()

  function start(options: Partial<Pick<LinkOptions, 'factory' | 'delays'>> = {}): void {
    client = new HostClient(
      {
        onLink(state) {
          link.value = state
          if (state.state !== 'open') return
          wasOpen.value = true
          opened()
          void ready()
        },
        onList: (rows, removed) => listListeners.forEach((listener) => listener(rows, removed)),
        onBanners: (received) => {
          banners.value = received
        },
        onReset: () => void ready(),
        onIncompatible(detail) {
          console.error('host message refused:', detail)
          incompatible.value = true
        },
      },
      { factory: options.factory ?? pickTransport(), ...(options.delays === undefined ? {} : { delays: options.delays }) },
    )
    client.start()
  }

  /** After connecting and after a reset: each store takes up its own state again, in the order they registered. */
  async function ready(): Promise<void> {
    for (const listener of readyListeners) await listener()
  }

  function onReady(listener: () => Promise<void> | void): void {
    readyListeners.push(listener)
  }

  function onList(listener: ListListener): void {
    listListeners.push(listener)
  }

  function call<M extends MethodName>(method: M, params: MethodInput<M>, options?: CallOptions): Promise<MethodOutput<M>> {
    // What a view asks for while the page starts waits for the connection; later a lost one is said at once.
    if (!wasOpen.value && link.value.state !== 'refused') return firstOpen.then(() => call(method, params, options))
    if (client === undefined) return Promise.reject(new AppError({ code: ClientErrorCode.CONNECTION_LOST, message: 'not started' }))
    return client.call(method, params, options)
  }

  function feed(): SessionFeed {
    if (client === undefined) throw new Error('the connection store was not started')
    return client.feed
  }

  const stop = (): void => client?.stop()
  const retryNow = (): void => client?.retryNow()

  return { link, banners, incompatible, offline, visible, wasOpen, isOpen, isLost, start, stop, retryNow, onReady, onList, call, feed }
})
