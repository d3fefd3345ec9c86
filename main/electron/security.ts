/** What a page may not do, for every session and every web contents of the app. */
import type * as Electron from 'electron'
import { isAppUrl } from './app-address.ts'

/** The only thing a page needs a permission for: the copy buttons. */
const ALLOWED_PERMISSIONS: readonly string[] = ['clipboard-sanitized-write']

/** Electron's default grants every request. */
export function lockDownSession(session: Electron.Session): void {
  session.setPermissionRequestHandler((_contents, permission, callback) => callback(ALLOWED_PERMISSIONS.includes(permission)))
  session.setPermissionCheckHandler((_contents, permission) => ALLOWED_PERMISSIONS.includes(permission))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}))
  session.on('will-download', (event) => event.preventDefault())
  session.setSpellCheckerEnabled(false)
}

export function lockDownContents(contents: Electron.WebContents): void {
  const stay = (event: { preventDefault(): void; url: string }): void => {
    if (!isAppUrl(event.url)) event.preventDefault()
  }
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', (event) => stay(event))
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Parsed `https:` and `mailto:` addresses without credentials; the system's handlers get nothing else. */
export function isExternalUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const parsed = new URL(url)
  return (parsed.protocol === 'https:' && parsed.username === '' && parsed.password === '') || parsed.protocol === 'mailto:'
}
