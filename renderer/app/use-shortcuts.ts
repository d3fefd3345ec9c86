/** The keys of the whole window; `ui/key-map.ts` lists them for people. Cards and the composer handle their own. */
import { useNavigationStore } from '#renderer/stores/navigation.ts'
import { useSessionActionsStore } from '#renderer/stores/session-actions.ts'
import { useSessionViewStore } from '#renderer/stores/session-view.ts'
import { useSessionsStore } from '#renderer/stores/sessions.ts'
import { useWorkspacesStore } from '#renderer/stores/workspaces.ts'
import { isMod } from '#renderer/ui/platform.ts'
import { onScopeDispose } from 'vue'

export interface ShortcutHooks {
  nextNeedsYou(): void
  /** Focus goes on to the next pane: side, main, composer, inspector. */
  nextPane(backwards: boolean): void
  stop(): void
  /** Shows a session with the focus where one writes. */
  openSession(sessionId: string): void
}

export function useShortcuts(hooks: ShortcutHooks): void {
  const navigation = useNavigationStore()
  const sessions = useSessionsStore()
  const view = useSessionViewStore()
  const actions = useSessionActionsStore()
  const workspaces = useWorkspacesStore()

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.repeat) return
    const run = find(event)
    if (run === undefined) return
    event.preventDefault()
    run()
  }

  function find(event: KeyboardEvent): (() => void) | undefined {
    // A question in front of everything is answered first.
    if (workspaces.question !== undefined || navigation.openFolderDialog) return undefined
    if (event.key === 'F6') return () => hooks.nextPane(event.shiftKey)
    if (event.altKey && !isMod(event) && event.code === 'KeyN') return () => navigation.go({ page: 'new' })
    if (!isMod(event) || event.altKey) return undefined
    if (event.shiftKey && event.code === 'KeyF') return () => navigation.openPalette('search')
    if (event.shiftKey) return event.code === 'KeyJ' ? () => hooks.nextNeedsYou() : undefined
    const nth = /^Digit([1-9])$/.exec(event.code)?.[1]
    if (nth !== undefined) return () => openNth(Number(nth) - 1)
    switch (event.key.toLowerCase()) {
      case 'k':
        return () => (navigation.palette = navigation.palette === 'closed' ? 'everything' : 'closed')
      case 'n':
        return () => navigation.go({ page: 'new' })
      case 'b':
        return () => navigation.toggleSide()
      case 'i':
        return () => navigation.toggleInspector()
      case ',':
        return () => navigation.go({ page: 'settings', section: 'providers' })
      case '/':
        return () => navigation.go({ page: 'settings', section: 'shortcuts' })
      case '.':
        return view.busy && view.sessionId !== undefined && !actions.stopping.has(view.sessionId) ? () => hooks.stop() : undefined
      default:
        return undefined
    }
  }

  function openNth(index: number): void {
    const row = sessions.groups.flatMap((group) => group.rows)[index]
    if (row !== undefined) hooks.openSession(row.sessionId)
  }

  window.addEventListener('keydown', onKey)
  onScopeDispose(() => window.removeEventListener('keydown', onKey))
}
