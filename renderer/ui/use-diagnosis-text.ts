/** What a provider check found, in the person's language: a word and sentences. */
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import { useI18n } from 'vue-i18n'
import { joinSentences } from './use-error-text.ts'

export interface DiagnosisText {
  readonly word: string
  readonly sentences: string
}

/** The provider's module may bring its own sentences; the word is always ours, by code. */
export function useDiagnosisText(): (diagnosis: Diagnosis, provider: string) => DiagnosisText {
  const { t, te, locale } = useI18n()
  return (diagnosis, provider) => {
    const code = te(`diagnosis.${diagnosis.code}.what`, 'en') ? diagnosis.code : 'unknown'
    const values = { provider, message: diagnosis.message }
    const own = diagnosis.sentences?.[locale.value === 'zh-CN' ? 'zh' : 'en']
    return {
      word: t(`diagnosis.${code}.what`, values),
      sentences: own ?? joinSentences([t(`diagnosis.${code}.means`, values), t(`diagnosis.${code}.todo`, values)], locale.value),
    }
  }
}
