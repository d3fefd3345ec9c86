/** Any failure → three sentences in the person's language: what happened, what it means, what to do. */
import type { AppErrorData } from '#contracts/wire/app-error.ts'
import { useI18n } from 'vue-i18n'

export interface ErrorText {
  readonly what: string
  readonly means: string
  readonly todo: string
}

/** Sentences one after the other: Chinese needs no space between them, and an empty one leaves none. */
export function joinSentences(sentences: readonly (string | undefined)[], locale: string): string {
  return sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(locale.startsWith('zh') ? '' : ' ')
}

/** What an error brings along for its sentences: ours has `params`, a provider's has `provider`. */
export type Explainable = Pick<AppErrorData, 'code' | 'message'> & {
  readonly params?: AppErrorData['params'] | undefined
  readonly provider?: string | undefined
}

export function useErrorText(): (error: Explainable) => ErrorText {
  const { t, te } = useI18n()
  return (error) => {
    const known = te(`error.${error.code}.what`, 'en') ? error.code : 'fallback'
    const values = { provider: error.provider ?? '', code: error.code, message: error.message, path: '', holder: '', ...error.params }
    // Where one code has several reasons, its params name which.
    const because = `error.${known}.because.${String(error.params?.['problem'])}`
    const means = te(because, 'en') ? because : `error.${known}.means`
    return { what: t(`error.${known}.what`, values), means: t(means, values), todo: t(`error.${known}.todo`, values) }
  }
}
