/** The application menu. On macOS the standard roles make copy, paste and quit work; elsewhere the page has its own. */
import type { ElectronApi } from './boot.ts'

export function installMenu(electron: Pick<ElectronApi, 'Menu' | 'app'>, platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'darwin') return electron.Menu.setApplicationMenu(null)
  electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]))
}
