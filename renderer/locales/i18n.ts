/** The page's languages. Messages are compiled to data, not to functions, so no eval is needed. */
import { createI18n } from 'vue-i18n'
import { en, type Messages } from './en/index.ts'
import { zhCn } from './zh-cn/index.ts'

export const LOCALES = ['en', 'zh-CN'] as const
export type Locale = (typeof LOCALES)[number]

declare module 'vue-i18n' {
  export interface DefineLocaleMessage extends Messages {}
}

export const i18n = createI18n({
  legacy: false,
  locale: 'en' satisfies Locale,
  fallbackLocale: 'en',
  messages: { en, 'zh-CN': zhCn },
  missingWarn: false,
  fallbackWarn: false,
})

/** `system` follows the browser: Chinese of any kind gets Chinese, everything else English. */
export function resolveLocale(setting: unknown, preferred: readonly string[]): Locale {
  if (setting === 'zh-CN' || setting === 'en') return setting
  return (preferred[0] ?? '').toLowerCase().startsWith('zh') ? 'zh-CN' : 'en'
}
