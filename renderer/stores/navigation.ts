/** Where the person is. Mirrored in the address, so that a reload and the browser's Back come to the same place. */
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import * as z from 'zod'
import { recall, remember } from './local-state.ts'

export type Place =
  | { readonly page: 'new' }
  | { readonly page: 'welcome' }
  /** The list as a page of its own, on a phone. */
  | { readonly page: 'sessions' }
  | { readonly page: 'session'; readonly sessionId: string }
  | { /** Id of one of `app/settings-sections.ts`. */ readonly page: 'settings'; readonly section: string }

const PanesSchema = z.object({ side: z.boolean(), inspector: z.boolean() })

export const useNavigationStore = defineStore('navigation', () => {
  const place = shallowRef<Place>({ page: 'new' })
  const remembered = recall('panes', PanesSchema)
  const sideOpen = ref(remembered?.side ?? true)
  const inspectorOpen = ref(remembered?.inspector ?? true)
  /** The inspector as a drawer or sheet, on narrower windows; closed on every visit. */
  const drawerOpen = ref(false)
  const openFolderDialog = ref(false)
  /** `search` shows conversations only. */
  const palette = ref<'closed' | 'everything' | 'search'>('closed')
  /** Where in a session the person wants to look: a search hit. Taken by the transcript. */
  const reveal = shallowRef<{ readonly sessionId: string; readonly seq: number }>()

  function go(next: Place): void {
    place.value = next
    drawerOpen.value = false
    const hash = toHash(next)
    if (location.hash !== hash) history.pushState(null, '', hash)
  }

  /** Takes the place from the address; `false` when it names none. */
  function goToAddress(): boolean {
    const found = fromHash(location.hash)
    if (found !== undefined) place.value = found
    return found !== undefined
  }

  function openPalette(mode: 'everything' | 'search'): void {
    palette.value = mode
  }

  function toggleSide(): void {
    sideOpen.value = !sideOpen.value
    keep()
  }

  function toggleInspector(): void {
    if (window.innerWidth < 1200) drawerOpen.value = !drawerOpen.value
    else inspectorOpen.value = !inspectorOpen.value
    keep()
  }

  const keep = (): void => void remember('panes', { side: sideOpen.value, inspector: inspectorOpen.value })
  const currentSessionId = computed(() => (place.value.page === 'session' ? place.value.sessionId : undefined))

  return {
    place,
    sideOpen,
    inspectorOpen,
    drawerOpen,
    openFolderDialog,
    palette,
    reveal,
    currentSessionId,
    go,
    goToAddress,
    openPalette,
    toggleSide,
    toggleInspector,
  }
})

export function toHash(place: Place): string {
  switch (place.page) {
    case 'session':
      return `#/session/${place.sessionId}`
    case 'settings':
      return `#/settings/${place.section}`
    default:
      return `#/${place.page}`
  }
}

export function fromHash(hash: string): Place | undefined {
  const [, page, detail] = /^#\/([a-z]+)(?:\/([\w-]+))?$/.exec(hash) ?? []
  if (page === 'session' && detail !== undefined) return { page, sessionId: detail }
  if (page === 'settings') return { page, section: detail ?? 'providers' }
  return page === 'new' || page === 'welcome' || page === 'sessions' ? { page } : undefined
}
