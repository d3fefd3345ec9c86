/** One page of the settings; `app/settings-sections.ts` lists them all. */
import type { LucideIcon } from '@lucide/vue'
import type { Component } from 'vue'

export interface SettingsSection {
  /** Its part of the address: `#/settings/<id>`. */
  readonly id: string
  /** Headings of the list: `settings.groups.<group>`. */
  readonly group: 'general' | 'models' | 'tools' | 'data'
  /** Locale key of its title. */
  readonly title: string
  readonly icon: LucideIcon
  /** Draws a `ui/settings-panel.vue`; takes no props. */
  readonly page: Component
}
