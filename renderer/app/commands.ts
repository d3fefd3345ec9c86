/** Everything the palette can do, in the language in force. What makes no sense at the moment is left out. */
import { useConfigStore } from '#renderer/stores/config.ts'
import { useNavigationStore } from '#renderer/stores/navigation.ts'
import { useSessionRecordsStore } from '#renderer/stores/session-records.ts'
import { useSessionsStore } from '#renderer/stores/sessions.ts'
import { useSessionViewStore } from '#renderer/stores/session-view.ts'
import type { Command } from '#renderer/ui/command.ts'
import { newSessionKeys } from '#renderer/ui/platform.ts'
import {
  CircleStop,
  Download,
  FolderOpen,
  GitFork,
  Inbox,
  Languages,
  Palette,
  PanelLeft,
  PanelRight,
  Plus,
  Rocket,
  Search,
} from '@lucide/vue'
import { useI18n } from 'vue-i18n'
import { settingsSections } from './settings-sections.ts'
import type { ShortcutHooks } from './use-shortcuts.ts'

/** @returns a list made when it is asked for: while the palette is closed nobody follows what it is made of. */
export function useCommands(hooks: ShortcutHooks): () => Command[] {
  const { t } = useI18n()
  const navigation = useNavigationStore()
  const sessions = useSessionsStore()
  const view = useSessionViewStore()
  const records = useSessionRecordsStore()
  const config = useConfigStore()

  const ofSession = (): Command[] => {
    const row = navigation.currentSessionId === undefined ? undefined : sessions.row(navigation.currentSessionId)
    if (row === undefined) return []
    const fork = async (): Promise<void> => {
      const sessionId = await records.fork(row)
      if (sessionId !== undefined) navigation.go({ page: 'session', sessionId })
    }
    return [
      ...(view.busy ? [{ id: 'stop', label: t('palette.stopCurrent'), icon: CircleStop, keys: ['Mod', '.'], run: hooks.stop }] : []),
      { id: 'fork', label: t('palette.forkCurrent'), icon: GitFork, run: () => void fork() },
      { id: 'export', label: t('palette.exportCurrent'), icon: Download, run: () => void records.exportAs(row, 'md') },
      { id: 'inspector', label: t('frame.toggleInspector'), icon: PanelRight, keys: ['Mod', 'I'], run: () => navigation.toggleInspector() },
    ]
  }

  return () => [
    { id: 'new', label: t('side.newSession'), icon: Plus, keys: newSessionKeys, run: () => navigation.go({ page: 'new' }) },
    { id: 'open-folder', label: t('side.openFolder'), icon: FolderOpen, run: () => (navigation.openFolderDialog = true) },
    { id: 'search', label: t('side.searchAll'), icon: Search, keys: ['Mod', 'Shift', 'F'], run: () => navigation.openPalette('search') },
    ...(sessions.needsYou.length > 0
      ? [{ id: 'needs-you', label: t('side.nextNeedsYou'), icon: Inbox, keys: ['Mod', 'Shift', 'J'], run: hooks.nextNeedsYou }]
      : []),
    ...ofSession(),
    { id: 'side', label: t('frame.toggleSide'), icon: PanelLeft, keys: ['Mod', 'B'], run: () => navigation.toggleSide() },
    ...settingsSections.map(({ id, title, icon }) => ({
      id: `settings-${id}`,
      label: t('palette.settings', { page: t(title) }),
      icon,
      ...(id === 'providers' ? { keys: ['Mod', ','] } : id === 'shortcuts' ? { keys: ['Mod', '/'] } : {}),
      run: () => navigation.go({ page: 'settings', section: id }),
    })),
    ...(['system', 'light', 'dark', 'hc'] as const).map((theme) => ({
      id: `theme-${theme}`,
      label: t('palette.theme', { name: t(`settings.themes.${theme}`) }),
      icon: Palette,
      run: () => void config.set('ui.theme', theme),
    })),
    ...(['zh-CN', 'en'] as const).map((language) => ({
      id: `language-${language}`,
      label: t('palette.language', { name: t(`settings.languages.${language}`) }),
      icon: Languages,
      run: () => void config.set('ui.language', language),
    })),
    { id: 'welcome', label: t('welcome.crumb'), icon: Rocket, run: () => navigation.go({ page: 'welcome' }) },
  ]
}
