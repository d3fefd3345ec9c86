/** Where this person's trust, grants and settings live: `METONA_HOME`, else the platform's user-data folder. */
import { homedir } from 'node:os'
import path from 'node:path'

export function profileFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const chosen = environment['METONA_HOME']
  if (chosen !== undefined && chosen !== '') return path.resolve(chosen)
  if (platform === 'win32') return path.join(environment['APPDATA'] ?? path.join(homedir(), 'AppData', 'Roaming'), 'Metona')
  if (platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support', 'Metona')
  const base = environment['XDG_CONFIG_HOME']
  return path.join(base !== undefined && path.isAbsolute(base) ? base : path.join(homedir(), '.config'), 'metona')
}
