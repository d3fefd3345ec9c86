/** Which of the two languages this terminal speaks. */

export type Language = 'zh' | 'en'

/** The first of LC_ALL, LC_MESSAGES and LANG that is set decides, as everywhere; without one (Windows) the system's. */
export function environmentLanguage(environment: NodeJS.ProcessEnv): Language {
  const locale = [environment['LC_ALL'], environment['LC_MESSAGES'], environment['LANG']].find(
    (value) => value !== undefined && value !== '',
  )
  return (locale ?? Intl.DateTimeFormat().resolvedOptions().locale).toLowerCase().startsWith('zh') ? 'zh' : 'en'
}
