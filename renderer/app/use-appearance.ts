/** Language, theme and font size from the configuration onto the document. Remembered, so that a start does not flash. */
import { useConfigStore } from '#renderer/stores/config.ts'
import { recall, remember } from '#renderer/stores/local-state.ts'
import { i18n, resolveLocale } from '#renderer/locales/i18n.ts'
import { onScopeDispose, ref, watchEffect } from 'vue'
import * as z from 'zod'

export type Theme = 'light' | 'dark' | 'hc'

const RememberedSchema = z.object({
  language: z.string(),
  theme: z.string(),
  fontPercent: z.number(),
  font: z.string().optional(),
  codeFont: z.string().optional(),
})

export function resolveTheme(setting: unknown, dark: boolean, moreContrast: boolean): Theme {
  if (setting === 'light' || setting === 'dark' || setting === 'hc') return setting
  if (moreContrast) return 'hc'
  return dark ? 'dark' : 'light'
}

export function useAppearance(): void {
  const config = useConfigStore()
  const remembered = recall('appearance', RememberedSchema)
  const dark = useMedia('(prefers-color-scheme: dark)')
  const contrast = useMedia('(prefers-contrast: more)')

  watchEffect(() => {
    const language = config.loaded ? config.value('ui.language') : remembered?.language
    const theme = config.loaded ? config.value('ui.theme') : remembered?.theme
    const percent = Number((config.loaded ? config.value('ui.fontPercent') : remembered?.fontPercent) ?? 100)
    const font = own(config.loaded ? config.value('ui.font') : remembered?.font)
    const codeFont = own(config.loaded ? config.value('ui.codeFont') : remembered?.codeFont)
    const locale = resolveLocale(language, navigator.languages)
    i18n.global.locale.value = locale
    const root = document.documentElement
    root.lang = locale
    root.dataset['theme'] = resolveTheme(theme, dark.value, contrast.value)
    root.style.setProperty('--scale', String(Math.min(1.4, Math.max(0.9, percent / 100 || 1))))
    setOwnFont('--own-font', font)
    setOwnFont('--own-code-font', codeFont)
    if (config.loaded)
      remember('appearance', {
        language: String(language ?? 'system'),
        theme: String(theme ?? 'system'),
        fontPercent: percent,
        font,
        codeFont,
      })
  })
}

const own = (family: unknown): string | undefined => (typeof family === 'string' && family !== '' ? family : undefined)

/** Before the families of the design, which stand in for what this one lacks. */
function setOwnFont(property: string, family: string | undefined): void {
  const { style } = document.documentElement
  if (family === undefined) style.removeProperty(property)
  else style.setProperty(property, `"${family.replaceAll(/["\\]/g, '')}",`)
}

function useMedia(query: string): { readonly value: boolean } {
  const list = matchMedia(query)
  const matches = ref(list.matches)
  const update = (): void => {
    matches.value = list.matches
  }
  list.addEventListener('change', update)
  onScopeDispose(() => list.removeEventListener('change', update))
  return matches
}
