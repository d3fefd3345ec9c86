/** Dialogs, links, notifications, secrets, proxy and power, as Electron does them. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type * as Electron from 'electron'
import type { NativeServices } from '#contracts/native/native-services.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { ElectronApi } from './boot.ts'
import { isExternalUrl } from './security.ts'

type Api = Pick<ElectronApi, 'app' | 'dialog' | 'shell' | 'safeStorage' | 'Notification' | 'powerSaveBlocker' | 'BrowserWindow'>

export function electronNative(electron: Api, session: Pick<Electron.Session, 'resolveProxy'>): NativeServices {
  /** A notification that is not referenced is collected, and its click with it. */
  const shown = new Set<Electron.Notification>()
  let blocker: number | undefined
  const secretFile = (name: string): string =>
    path.join(electron.app.getPath('userData'), 'secrets', `${Buffer.from(name).toString('base64url')}.bin`)
  const protectedStore = async (): Promise<{ available: boolean; backend: string }> => {
    const available = await electron.safeStorage.isAsyncEncryptionAvailable()
    const backend = process.platform === 'linux' ? electron.safeStorage.getSelectedStorageBackend() : process.platform
    // Without a keyring Linux encrypts with a fixed password, which protects nothing.
    return { available: available && backend !== 'basic_text', backend }
  }
  const writeSecret = async (name: string, value: string): Promise<void> => {
    if (!(await protectedStore()).available)
      throw new AppError({ code: 'NOT_AVAILABLE', message: 'this system has no protected store for secrets' })
    const file = secretFile(name)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    const temporary = `${file}.${process.pid}`
    await writeFile(temporary, await electron.safeStorage.encryptStringAsync(value), { mode: 0o600, flush: true })
    await rename(temporary, file)
  }

  return {
    pickFolder: async ({ title, defaultPath }) => {
      const options: Electron.OpenDialogOptions = {
        properties: ['openDirectory', 'createDirectory'],
        ...(title === undefined ? {} : { title }),
        ...(defaultPath === undefined ? {} : { defaultPath }),
      }
      const window = electron.BrowserWindow.getFocusedWindow()
      const answer = window === null ? await electron.dialog.showOpenDialog(options) : await electron.dialog.showOpenDialog(window, options)
      return answer.canceled ? [] : answer.filePaths
    },
    openExternal: async ({ url }) => {
      if (!isExternalUrl(url))
        throw new AppError({ code: 'LINK_REFUSED', message: 'only https and mailto links are opened', params: { url: url.slice(0, 200) } })
      await electron.shell.openExternal(url)
    },
    notify: async ({ title, body }) => {
      if (!electron.Notification.isSupported()) throw new AppError({ code: 'NOT_AVAILABLE', message: 'this system shows no notifications' })
      const notification = new electron.Notification({ title, body })
      shown.add(notification)
      notification.on('close', () => shown.delete(notification))
      notification.on('click', () => {
        const window = electron.BrowserWindow.getAllWindows()[0]
        window?.show()
        window?.focus()
      })
      notification.show()
    },
    secretsAvailable: protectedStore,
    readSecret: async ({ name }) => {
      let stored: Buffer
      try {
        stored = await readFile(secretFile(name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
      const { result, shouldReEncrypt } = await electron.safeStorage.decryptStringAsync(stored)
      if (shouldReEncrypt) await writeSecret(name, result)
      return result
    },
    writeSecret: async ({ name, value }) => (value === null ? rm(secretFile(name), { force: true }) : writeSecret(name, value)),
    resolveProxy: ({ url }) => session.resolveProxy(url),
    setBusy: async ({ busy }) => {
      if (busy) blocker ??= electron.powerSaveBlocker.start('prevent-app-suspension')
      else if (blocker !== undefined) {
        electron.powerSaveBlocker.stop(blocker)
        blocker = undefined
      }
    },
  }
}
