/** Puts the desktop shell together once the app is ready. Main only routes: it makes windows and hands out ports. */
import path from 'node:path'
import type * as Electron from 'electron'
import { appOrigin } from './app-address.ts'
import { serveApp } from './app-protocol.ts'
import { startHostProcess, type HostProcess } from './host-process.ts'
import { installMenu } from './menu.ts'
import { electronNative } from './native.ts'
import { drainBeforeQuit } from './quit.ts'
import { lockDownContents, lockDownSession } from './security.ts'
import { acceptClients, createWindow } from './window.ts'

export type ElectronApi = typeof Electron

const PARTITION = 'persist:metona'

/** Never rejects: what fails is shown in a dialog and ends the app. */
export async function boot(electron: ElectronApi): Promise<void> {
  const { app } = electron
  const bundles = path.join(app.getAppPath(), 'out')
  const session = electron.session.fromPartition(PARTITION)
  lockDownSession(session)
  serveApp(session.protocol, path.join(bundles, 'renderer'))
  app.on('web-contents-created', (_event, contents) => lockDownContents(contents))

  const native = electronNative(electron, session)
  const host: HostProcess = startHostProcess(electron, { bundles, profile: app.getPath('userData'), native })
  const open = (): Electron.BrowserWindow => {
    const window = createWindow(electron, { session, preload: path.join(bundles, 'electron', 'preload.cjs'), packaged: app.isPackaged })
    acceptClients(electron, window, (port) => host.addClient(port))
    // Windows ends a session without `before-quit`.
    window.on('session-end', () => void host.stop(2_000))
    void window.loadURL(`${appOrigin}/`)
    return window
  }

  installMenu(electron)
  app.on('second-instance', () => {
    const window = electron.BrowserWindow.getAllWindows()[0] ?? open()
    if (window.isMinimized()) window.restore()
    window.focus()
  })
  app.on('activate', () => {
    if (electron.BrowserWindow.getAllWindows().length === 0) open()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  electron.powerMonitor.on('suspend', () => host.power('suspend'))
  electron.powerMonitor.on('resume', () => {
    void session.forceReloadProxyConfig()
    host.power('resume')
  })
  drainBeforeQuit(app, (deadlineMs) => host.stop(deadlineMs))
  open()
}
