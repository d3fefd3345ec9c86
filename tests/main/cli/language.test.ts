import { expect, test } from 'vitest'
import { environmentLanguage } from '#main/cli/language.ts'

test.each<[Record<string, string>, string]>([
  [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LANG: 'zh_TW' }, 'zh'],
  [{ LANG: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'de_DE.UTF-8' }, 'en'],
  [{ LANG: 'C.UTF-8' }, 'en'],
  [{ LC_ALL: 'zh_CN.UTF-8', LANG: 'en_US.UTF-8' }, 'zh'],
  [{ LC_ALL: 'C', LANG: 'zh_CN.UTF-8' }, 'en'],
  [{ LC_ALL: '', LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LC_MESSAGES: 'zh_CN.UTF-8', LANG: 'en_US.UTF-8' }, 'zh'],
])('%j speaks %s', (environment, language) => {
  expect(environmentLanguage(environment)).toBe(language)
})
