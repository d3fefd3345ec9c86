/** Windows, and the one message a page may send to main: "connect me". */
import type * as Electron from 'electron'
import { isAppUrl } from './app-address.ts'
import type { ElectronApi } from './boot.ts'

export interface WindowOptions {
  readonly session: Electron.Session
  /** Absolute path of the CommonJS preload script. */
  readonly preload: string
  readonly packaged: boolean
}

/** Reloads of one window after its page crashed; more than this shows the failure instead of looping. */
const RELOADS_AFTER_CRASH = 1

export function createWindow(electron: Pick<ElectronApi, 'BrowserWindow' | 'nativeTheme'>, options: WindowOptions): Electron.BrowserWindow {
  const window = new electron.BrowserWindow({
    width: 1280,
    height: 800,
    minWidth: 480,
    minHeight: 480,
    show: false,
    backgroundColor: electron.nativeTheme.shouldUseDarkColors ? '#111317' : '#f3f4f7',
    webPreferences: {
      session: options.session,
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      webSecurity: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      spellcheck: false,
      devTools: !options.packaged,
    },
  })
  window.once('ready-to-show', () => window.show())
  let reloads = 0
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit' || reloads >= RELOADS_AFTER_CRASH) return
    reloads += 1
    window.webContents.reload()
  })
  return window
}

/**
 * Hands a page a port into the pipeline host when it asks. Only our own page's main frame may ask; a reload
 * asks again and the old port closes by itself.
 */
export function acceptClients(
  electron: Pick<ElectronApi, 'MessageChannelMain'>,
  window: Electron.BrowserWindow,
  onPort: (port: Electron.MessagePortMain) => void,
): void {
  window.webContents.ipc.on('connect', (event) => {
    // Null after a navigation, so it is read before anything else.
    const frame = event.senderFrame
    if (frame === null || frame.parent !== null || !isAppUrl(frame.url)) return
    const { port1, port2 } = new electron.MessageChannelMain()
    try {
      frame.postMessage('port', null, [port1])
    } catch {
      // The frame went away meanwhile; its successor will ask for itself.
      port2.close()
      return
    }
    onPort(port2)
  })
}
