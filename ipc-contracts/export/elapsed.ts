/** Durations as people read them. */
import type { ExportLanguage } from './export-words.ts'

export function elapsed(milliseconds: number, language: ExportLanguage): string {
  const seconds = milliseconds / 1000
  if (seconds < 1) return language === 'zh' ? `${Math.round(milliseconds)} 毫秒` : `${Math.round(milliseconds)} ms`
  if (seconds < 60) return language === 'zh' ? `${seconds.toFixed(1)} 秒` : `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  const rest = Math.round(seconds - minutes * 60)
  return language === 'zh' ? `${minutes} 分 ${rest} 秒` : `${minutes} min ${rest} s`
}
