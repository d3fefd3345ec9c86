/** The pages of the settings, in the order of their list. One more is a line here and its title in the locales. */
import PipelinePage from '#renderer/features/pipeline/pipeline-page.vue'
import MemoriesPage from '#renderer/features/memory/memories-page.vue'
import AgentPage from '#renderer/features/settings/agent-page.vue'
import AppearancePage from '#renderer/features/settings/appearance-page.vue'
import McpPage from '#renderer/features/settings/mcp-page.vue'
import ModelsPage from '#renderer/features/settings/models-page.vue'
import PermissionsPage from '#renderer/features/settings/permissions-page.vue'
import ProvidersPage from '#renderer/features/settings/providers-page.vue'
import ShortcutsPage from '#renderer/features/settings/shortcuts-page.vue'
import UsagePage from '#renderer/features/usage/usage-page.vue'
import FilesPage from '#renderer/features/workspace-files/files-page.vue'
import type { SettingsSection } from '#renderer/ui/settings-section.ts'
import { Activity, BadgeDollarSign, Bot, Brain, ChartColumn, FileText, KeyRound, Keyboard, Palette, Plug, ShieldCheck } from '@lucide/vue'

export const settingsSections: readonly SettingsSection[] = [
  { id: 'appearance', group: 'general', title: 'settings.appearance', icon: Palette, page: AppearancePage },
  { id: 'shortcuts', group: 'general', title: 'settings.shortcuts', icon: Keyboard, page: ShortcutsPage },
  { id: 'providers', group: 'models', title: 'settings.providers', icon: KeyRound, page: ProvidersPage },
  { id: 'models', group: 'models', title: 'models.title', icon: BadgeDollarSign, page: ModelsPage },
  { id: 'agent', group: 'models', title: 'settings.agent', icon: Bot, page: AgentPage },
  { id: 'mcp', group: 'tools', title: 'mcp.title', icon: Plug, page: McpPage },
  { id: 'permissions', group: 'tools', title: 'settings.permissions', icon: ShieldCheck, page: PermissionsPage },
  { id: 'files', group: 'data', title: 'files.title', icon: FileText, page: FilesPage },
  { id: 'memory', group: 'data', title: 'memory.title', icon: Brain, page: MemoriesPage },
  { id: 'usage', group: 'data', title: 'usage.title', icon: ChartColumn, page: UsagePage },
  { id: 'pipeline', group: 'data', title: 'pipeline.title', icon: Activity, page: PipelinePage },
]
