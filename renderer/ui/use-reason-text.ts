/** Why a call was asked about or refused, in the language in force. */
import { approvalReasonText } from '#contracts/tools/approval-reasons.ts'
import { useI18n } from 'vue-i18n'

export function useReasonText(): (code: string, params: Record<string, string> | undefined) => string {
  const { locale } = useI18n()
  return (code, params) =>
    approvalReasonText({ code, ...(params === undefined ? {} : { params }) }, locale.value.startsWith('zh') ? 'zh' : 'en')
}
