/** Numbers, times and paths as people read them. Pure: locale and the current time are arguments. */

/** `0:07`, `12:34`, `1:02:03`. For clocks that tick. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

export type Duration =
  | { readonly unit: 'milliseconds' | 'seconds'; readonly value: string }
  | { readonly unit: 'clock'; readonly value: string }

/** `380 ms`, `12.4 s`, `2:05`. For times that are over. */
export function duration(milliseconds: number, locale: string): Duration {
  if (milliseconds < 1000) return { unit: 'milliseconds', value: String(Math.max(0, Math.round(milliseconds))) }
  if (milliseconds < 60_000)
    return { unit: 'seconds', value: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(milliseconds / 1000) }
  return { unit: 'clock', value: clock(milliseconds) }
}

export type Moment = { readonly kind: 'text'; readonly value: string } | { readonly kind: 'yesterday' }

/** Today the time, then yesterday, the weekday, the date. */
export function moment(iso: string, locale: string, now: number): Moment {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return { kind: 'text', value: '' }
  const days = Math.round((startOfDay(now) - startOfDay(at.getTime())) / 86_400_000)
  if (days === 1) return { kind: 'yesterday' }
  const options: Intl.DateTimeFormatOptions =
    days <= 0
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : days < 7
        ? { weekday: 'short' }
        : { month: 'short', day: 'numeric' }
  return { kind: 'text', value: new Intl.DateTimeFormat(locale, options).format(at) }
}

/** Always the time of day. */
export function timeOfDay(at: string | number, locale: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? ''
    : new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(date)
}

function startOfDay(time: number): number {
  const day = new Date(time)
  day.setHours(0, 0, 0, 0)
  return day.getTime()
}

/** `41.2k`, `1.2M`; the same in every language, as models' windows are written. */
export function compact(value: number): string {
  if (value < 1000) return String(Math.round(value))
  const [size, letter] = value < 1_000_000 ? [value / 1000, 'k'] : [value / 1_000_000, 'M']
  return `${size >= 100 ? Math.round(size) : Math.round(size * 10) / 10}${letter}`
}

/** Enough digits to see a cost of a tenth of a cent. */
export function money(amount: number, currency: string, locale: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2
  try {
    return new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 2,
      maximumFractionDigits: digits,
    }).format(amount)
  } catch {
    // A currency the platform does not know is written out.
    return `${amount.toFixed(digits)} ${currency}`
  }
}

/** The last part of a path, with either kind of separator. */
export function baseName(path: string): string {
  return (
    path
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? path
  )
}

/** `/home/ada/projects/x` → `~/projects/x`: people know their own home. */
export function tildePath(path: string): string {
  return path.replace(/^(?:\/home|\/Users|[A-Za-z]:\\Users)[\\/][^\\/]+(?=[\\/]|$)/, '~')
}

/** Where a folder lies: what stands before its name. */
export function parentPath(path: string): string {
  const cut = Math.max(path.replace(/[\\/]+$/, '').lastIndexOf('/'), path.replace(/[\\/]+$/, '').lastIndexOf('\\'))
  return cut <= 0 ? path : path.slice(0, cut)
}

/** Cuts a long path in the middle: the start says where, the end says what. */
export function shortPath(path: string, limit = 34): string {
  if (path.length <= limit) return path
  const tail = Math.ceil((limit - 1) * 0.6)
  return `${path.slice(0, limit - 1 - tail)}…${path.slice(-tail)}`
}
