/**
 * A stand-in for Electron that misbehaves as the real one does: ports queue until `start`, messages are cloned,
 * anything but a port in a transfer list throws, a sender frame may be null, a disposed frame throws. It records
 * every call in order.
 */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import type { ElectronApi } from '#main/electron/boot.ts'

export interface FakeElectron {
  readonly api: ElectronApi
  /** `object.method` in the order called. */
  readonly calls: string[]
  readonly windows: FakeWindow[]
  readonly sessions: Map<string, FakeSession>
  readonly processes: FakeUtilityProcess[]
  readonly app: FakeApp
  readonly power: EventEmitter
  readonly dialogs: string[][]
  secretBackend: string
}

export class FakePort extends EventEmitter {
  peer: FakePort | undefined
  started = false
  closed = false
  readonly #queue: unknown[] = []

  postMessage(message: unknown, transfer: unknown[] = []): void {
    if (transfer.some((entry) => !(entry instanceof FakePort))) throw new TypeError('Invalid value for transfer')
    if (this.closed || this.peer === undefined || this.peer.closed) return
    this.peer.receive(structuredClone(message))
  }

  receive(data: unknown): void {
    if (this.started) this.emit('message', { data, ports: [] })
    else this.#queue.push(data)
  }

  start(): void {
    this.started = true
    for (const data of this.#queue.splice(0)) this.emit('message', { data, ports: [] })
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.emit('close')
    this.peer?.close()
  }
}

export class FakeFrame {
  parent: FakeFrame | null = null
  disposed = false
  readonly received: { channel: string; ports: FakePort[] }[] = []
  url: string

  constructor(url: string) {
    this.url = url
  }

  postMessage(channel: string, _message: unknown, ports: FakePort[]): void {
    if (this.disposed) throw new Error('Render frame was disposed before WebFrameMain could be accessed')
    this.received.push({ channel, ports })
  }
}

export class FakeContents extends EventEmitter {
  readonly ipc = new EventEmitter()
  openHandler: ((details: { url: string }) => { action: string }) | undefined
  reloads = 0

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler
  }

  reload(): void {
    this.reloads += 1
  }
}

export class FakeWindow extends EventEmitter {
  readonly webContents = new FakeContents()
  readonly options: Electron.BrowserWindowConstructorOptions
  readonly loaded: string[] = []
  shown = false

  constructor(options: Electron.BrowserWindowConstructorOptions) {
    super()
    this.options = options
  }

  loadURL(url: string): Promise<void> {
    this.loaded.push(url)
    return Promise.resolve()
  }

  show(): void {
    this.shown = true
  }

  isMinimized(): boolean {
    return false
  }

  restore(): void {}
  focus(): void {}
}

export class FakeSession extends EventEmitter {
  permissionRequest: ((contents: unknown, permission: string, callback: (granted: boolean) => void) => void) | undefined
  permissionCheck: ((contents: unknown, permission: string) => boolean) | undefined
  device: (() => boolean) | undefined
  displayMedia: ((request: unknown, callback: (streams: object) => void) => void) | undefined
  spellCheck = true
  readonly schemes = new Map<string, (request: { url: string; method: string }) => Promise<Response>>()
  readonly protocol = {
    handle: (scheme: string, handler: (request: { url: string; method: string }) => Promise<Response>) =>
      void this.schemes.set(scheme, handler),
  }

  setPermissionRequestHandler(handler: typeof this.permissionRequest): void {
    this.permissionRequest = handler
  }

  setPermissionCheckHandler(handler: typeof this.permissionCheck): void {
    this.permissionCheck = handler
  }

  setDevicePermissionHandler(handler: typeof this.device): void {
    this.device = handler
  }

  setDisplayMediaRequestHandler(handler: typeof this.displayMedia): void {
    this.displayMedia = handler
  }

  setSpellCheckerEnabled(enabled: boolean): void {
    this.spellCheck = enabled
  }

  resolveProxy(): Promise<string> {
    return Promise.resolve('DIRECT')
  }

  forceReloadProxyConfig(): Promise<void> {
    return Promise.resolve()
  }
}

export class FakeUtilityProcess extends EventEmitter {
  readonly file: string
  readonly options: { env?: Record<string, string> }
  readonly received: { message: { type: string }; ports: unknown[] }[] = []
  killed = false

  constructor(file: string, options: { env?: Record<string, string> }) {
    super()
    this.file = file
    this.options = options
  }

  postMessage(message: { type: string }, ports: unknown[] = []): void {
    if (ports.some((port) => !(port instanceof FakePort))) throw new TypeError('Port at index 0 is not a valid port')
    this.received.push({ message: structuredClone(message), ports })
  }

  kill(): boolean {
    this.killed = true
    this.emit('exit', 0)
    return true
  }
}

export class FakeApp extends EventEmitter {
  readonly calls: string[]
  isPackaged = true
  quits = 0
  locked = true
  readonly commandLine: { appendSwitch(name: string): void }

  constructor(calls: string[]) {
    super()
    this.calls = calls
    this.commandLine = { appendSwitch: (name) => void calls.push(`app.commandLine.appendSwitch ${name}`) }
  }

  setPath(name: string): void {
    this.calls.push(`app.setPath ${name}`)
  }

  getPath(name: string): string {
    return `/profile/${name}`
  }

  getAppPath(): string {
    return '/app'
  }

  requestSingleInstanceLock(): boolean {
    this.calls.push('app.requestSingleInstanceLock')
    return this.locked
  }

  enableSandbox(): void {
    this.calls.push('app.enableSandbox')
  }

  setAppUserModelId(): void {
    this.calls.push('app.setAppUserModelId')
  }

  exit(): void {
    this.calls.push('app.exit')
  }

  whenReady(): Promise<void> {
    this.calls.push('app.whenReady')
    return new Promise(() => undefined)
  }

  /** As the real one: `before-quit` may prevent it. */
  quit(): void {
    this.quits += 1
    let prevented = false
    this.emit('before-quit', { preventDefault: () => (prevented = true) })
    if (!prevented) this.calls.push('app quit')
  }
}

export function fakeElectron(): FakeElectron {
  const calls: string[] = []
  const windows: FakeWindow[] = []
  const sessions = new Map<string, FakeSession>()
  const processes: FakeUtilityProcess[] = []
  const dialogs: string[][] = []
  const power = new EventEmitter()
  const app = new FakeApp(calls)
  const fake = { secretBackend: 'gnome_libsecret' }
  class BrowserWindow extends FakeWindow {
    constructor(options: Electron.BrowserWindowConstructorOptions) {
      super(options)
      windows.push(this)
      app.emit('web-contents-created', {}, this.webContents)
    }

    static getAllWindows(): FakeWindow[] {
      return windows
    }

    static getFocusedWindow(): FakeWindow | null {
      return windows[0] ?? null
    }
  }
  class MessageChannelMain {
    readonly port1 = new FakePort()
    readonly port2 = new FakePort()
    constructor() {
      this.port1.peer = this.port2
      this.port2.peer = this.port1
    }
  }
  const api = {
    app,
    BrowserWindow,
    MessageChannelMain,
    Menu: { setApplicationMenu: () => void calls.push('Menu.setApplicationMenu'), buildFromTemplate: (template: unknown) => template },
    Notification: class extends EventEmitter {
      static isSupported(): boolean {
        return true
      }
      show(): void {
        calls.push('notification.show')
      }
    },
    crashReporter: { start: (options: { uploadToServer: boolean }) => void calls.push(`crashReporter.start ${JSON.stringify(options)}`) },
    dialog: {
      showErrorBox: (...texts: string[]) => void dialogs.push(texts),
      showOpenDialog: () => Promise.resolve({ canceled: false, filePaths: ['/chosen'] }),
    },
    nativeTheme: { shouldUseDarkColors: false },
    powerMonitor: power,
    powerSaveBlocker: { start: () => 7, stop: (id: number) => void calls.push(`powerSaveBlocker.stop ${id}`) },
    protocol: {
      registerSchemesAsPrivileged: (schemes: unknown) => void calls.push(`protocol.registerSchemesAsPrivileged ${JSON.stringify(schemes)}`),
    },
    safeStorage: {
      isAsyncEncryptionAvailable: () => Promise.resolve(true),
      getSelectedStorageBackend: () => fake.secretBackend,
      encryptStringAsync: (text: string) => Promise.resolve(Buffer.from(text.split('').toReversed().join(''))),
      decryptStringAsync: (data: Buffer) =>
        Promise.resolve({ result: String(data).split('').toReversed().join(''), shouldReEncrypt: false }),
    },
    session: {
      fromPartition: (name: string) => {
        const session = sessions.get(name) ?? new FakeSession()
        sessions.set(name, session)
        return session
      },
    },
    shell: { openExternal: (url: string) => Promise.resolve(void calls.push(`shell.openExternal ${url}`)) },
    utilityProcess: {
      fork: (file: string, _arguments: string[], options: { env?: Record<string, string> }) => {
        const child = new FakeUtilityProcess(file, options)
        processes.push(child)
        return child
      },
    },
  }
  return Object.assign(fake, { api: api as unknown as ElectronApi, calls, windows, sessions, processes, app, power, dialogs })
}
