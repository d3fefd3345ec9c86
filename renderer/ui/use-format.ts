/** The formatters bound to the language in force. */
import { useI18n } from 'vue-i18n'
import { duration, moment, money, timeOfDay } from './format.ts'

export interface Formatters {
  readonly duration: (milliseconds: number) => string
  readonly moment: (iso: string, now: number) => string
  readonly timeOfDay: (at: string | number) => string
  /** The time of day, with the day where it is not today. */
  readonly stamp: (iso: string) => string
  readonly money: (amount: number, currency: string) => string
  readonly number: (value: number) => string
  readonly date: (at: string | number) => string
}

export function useFormat(): Formatters {
  const { t, locale } = useI18n()
  const timeOf = (at: string | number): string => timeOfDay(at, locale.value)
  const momentOf = (iso: string, now: number): string => {
    const found = moment(iso, locale.value, now)
    return found.kind === 'yesterday' ? t('time.yesterday') : found.value
  }
  return {
    duration(milliseconds) {
      const parts = duration(milliseconds, locale.value)
      return parts.unit === 'clock' ? parts.value : t(`time.${parts.unit}`, { value: parts.value })
    },
    moment: momentOf,
    timeOfDay: timeOf,
    stamp(iso) {
      const [day, time] = [momentOf(iso, Date.now()), timeOf(iso)]
      return day === time ? time : t('time.dayAndTime', { day, time })
    },
    money: (amount, currency) => money(amount, currency, locale.value),
    number: (value) => new Intl.NumberFormat(locale.value).format(value),
    date: (at) => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium' }).format(new Date(at)),
  }
}
