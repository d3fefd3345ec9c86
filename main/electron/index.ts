/**
 * The desktop shell's entry: what must happen before the app is ready, in this order, then the rest.
 * `ready` waits until this module is evaluated, so nothing here may await it.
 */
import * as electron from 'electron'
import { profileFolder } from '#main/host/profile-folder.ts'
import { APP_SCHEME } from './app-address.ts'

const { app, crashReporter, protocol } = electron

app.setPath('userData', profileFolder(process.env))
if (app.requestSingleInstanceLock({ arguments: process.argv.slice(1) })) {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
  app.enableSandbox()
  crashReporter.start({ uploadToServer: false })
  app.setAppUserModelId('ai.metona.desktop')
  if (process.platform === 'linux') {
    // Input methods under Wayland need both.
    app.commandLine.appendSwitch('enable-wayland-ime')
    app.commandLine.appendSwitch('wayland-text-input-version', '3')
  }
  void app.whenReady().then(async () => (await import('./boot.ts')).boot(electron))
} else {
  app.exit(0)
}
