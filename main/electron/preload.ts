/**
 * The only bridge: a page may ask for its port, and learn the path of a file dropped on it. A port cannot cross
 * the context bridge, so it follows as a window message. Bundled to CommonJS; requires nothing but `electron`.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'

// The two page globals used here; the rest of main has no DOM types.
declare const window: { postMessage(message: unknown, targetOrigin: string, transfer: readonly unknown[]): void }
declare const location: { readonly origin: string }

contextBridge.exposeInMainWorld('metona', {
  connect: (): void => ipcRenderer.send('connect'),
  pathForFile: (file: File): string => webUtils.getPathForFile(file),
})
ipcRenderer.on('port', (event) => window.postMessage('port', location.origin, event.ports))
