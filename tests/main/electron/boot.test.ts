/** The desktop shell against the fake Electron: every security setting whole, the order of calls, ports, restart, quit. */
import { describe, expect, test, vi } from 'vitest'
import { boot } from '#main/electron/boot.ts'
import { FakeFrame, fakeElectron, type FakeElectron, type FakePort, type FakeSession, type FakeWindow } from './fake-electron.ts'

async function booted(): Promise<{ fake: FakeElectron; window: FakeWindow; session: FakeSession }> {
  const fake = fakeElectron()
  await boot(fake.api)
  const window = fake.windows[0]
  const session = fake.sessions.get('persist:metona')
  if (window === undefined || session === undefined) throw new Error('no window or session was made')
  return { fake, window, session }
}

function frameOf(url: string): FakeFrame {
  return new FakeFrame(url)
}

describe('a window', () => {
  test('has exactly these web preferences', async () => {
    const { window, session } = await booted()
    expect(window.options.webPreferences).toEqual({
      session,
      preload: '/app/out/electron/preload.cjs',
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
      devTools: false,
    })
  })

  test('loads only our own page', async () => {
    const { window } = await booted()
    expect(window.loaded).toEqual(['app://metona/'])
  })

  test('reloads once after its page crashed, then stays as it is', async () => {
    const { window } = await booted()
    window.webContents.emit('render-process-gone', {}, { reason: 'crashed' })
    window.webContents.emit('render-process-gone', {}, { reason: 'crashed' })
    expect(window.webContents.reloads).toBe(1)
  })
})

describe('the session', () => {
  test('grants the clipboard and nothing else', async () => {
    const { session } = await booted()
    const asked = [
      'clipboard-sanitized-write',
      'clipboard-read',
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'fullscreen',
      'hid',
      'unknown',
    ]
    const granted = asked.filter((permission) => {
      let answer = false
      session.permissionRequest?.(null, permission, (given) => (answer = given))
      return answer
    })
    expect(granted).toEqual(['clipboard-sanitized-write'])
    expect(asked.filter((permission) => session.permissionCheck?.(null, permission))).toEqual(['clipboard-sanitized-write'])
    expect(session.device?.()).toBe(false)
  })

  test('gives no screen, no downloads, no dictionary', async () => {
    const { session } = await booted()
    let streams: object | undefined
    session.displayMedia?.({}, (given) => (streams = given))
    const prevent = vi.fn()
    session.emit('will-download', { preventDefault: prevent })
    expect({ streams, prevented: prevent.mock.calls.length, spellCheck: session.spellCheck }).toEqual({
      streams: {},
      prevented: 1,
      spellCheck: false,
    })
  })
})

describe('navigation', () => {
  test.each([
    ['app://metona/', false],
    ['https://example.com/', true],
    ['file:///etc/passwd', true],
    ['app://other/', true],
    ['javascript:alert(1)', true],
  ])('to %s is prevented: %s', async (url, prevented) => {
    const { window } = await booted()
    for (const name of ['will-frame-navigate', 'will-redirect']) {
      const prevent = vi.fn()
      window.webContents.emit(name, { url, preventDefault: prevent })
      expect(prevent.mock.calls.length > 0).toBe(prevented)
    }
  })

  test('opens no windows and attaches no webviews', async () => {
    const { window } = await booted()
    const prevent = vi.fn()
    window.webContents.emit('will-attach-webview', { preventDefault: prevent })
    expect([window.webContents.openHandler?.({ url: 'https://example.com' }), prevent.mock.calls.length]).toEqual([{ action: 'deny' }, 1])
  })
})

describe('a page that asks to be connected', () => {
  test('gets a port whose other end went to the pipeline host', async () => {
    const { fake, window } = await booted()
    const frame = frameOf('app://metona/')
    window.webContents.ipc.emit('connect', { senderFrame: frame })
    const sent = fake.processes[0]?.received.at(-1)
    expect(sent?.message).toEqual({ type: 'client' })
    const near = frame.received[0]?.ports[0]
    const far = sent?.ports[0] as FakePort
    const heard: unknown[] = []
    far.on('message', (event: { data: unknown }) => heard.push(event.data))
    near?.postMessage({ type: 'call' })
    expect(heard).toEqual([])
    far.start()
    expect(heard).toEqual([{ type: 'call' }])
  })

  test.each([
    ['from a frame that is gone', () => null],
    ['from an inner frame', () => Object.assign(frameOf('app://metona/'), { parent: frameOf('app://metona/') })],
    ['from another page', () => frameOf('https://example.com/')],
    ['from another host of our scheme', () => frameOf('app://evil/')],
  ])('%s gets none', async (_name, makeFrame) => {
    const { fake, window } = await booted()
    window.webContents.ipc.emit('connect', { senderFrame: makeFrame() })
    expect(fake.processes[0]?.received).toEqual([])
  })

  test('and is disposed meanwhile does no harm', async () => {
    const { fake, window } = await booted()
    const frame = Object.assign(frameOf('app://metona/'), { disposed: true })
    window.webContents.ipc.emit('connect', { senderFrame: frame })
    expect(fake.processes[0]?.received).toEqual([])
  })
})

describe('the pipeline host', () => {
  test('is started again when it died, and new pages go to the new one', async () => {
    const { fake, window } = await booted()
    fake.processes[0]?.emit('exit', 134)
    await vi.waitFor(() => expect(fake.processes).toHaveLength(2), { timeout: 5000 })
    window.webContents.ipc.emit('connect', { senderFrame: frameOf('app://metona/') })
    expect(fake.processes[1]?.received.map((entry) => entry.message.type)).toEqual(['client'])
  })

  test('gets the pages that asked while it was away', async () => {
    const { fake, window } = await booted()
    fake.processes[0]?.emit('exit', 134)
    window.webContents.ipc.emit('connect', { senderFrame: frameOf('app://metona/') })
    await vi.waitFor(() => expect(fake.processes[1]?.received.map((entry) => entry.message.type)).toEqual(['client']), { timeout: 5000 })
  })

  test('that dies again and again ends the app with a sentence', async () => {
    const { fake } = await booted()
    for (let death = 0; death < 6; death++) {
      const before = fake.processes.length
      fake.processes.at(-1)?.emit('exit', 1)
      if (death < 5) await vi.waitFor(() => expect(fake.processes.length).toBe(before + 1), { timeout: 5000 })
    }
    expect(fake.dialogs).toHaveLength(1)
    expect(fake.app.quits).toBeGreaterThan(0)
  }, 20_000)

  test('gets its command host from main, with a token in the environment only', async () => {
    const { fake } = await booted()
    fake.processes[0]?.emit('message', { type: 'command_host', id: 4 })
    const commandHost = fake.processes[1]
    expect(commandHost?.file).toBe('/app/out/command-host/entry.js')
    const token = commandHost?.options.env?.['METONA_COMMAND_HOST_TOKEN']
    commandHost?.emit('message', { socketPath: '/tmp/x' })
    expect(fake.processes[0]?.received.at(-1)?.message).toEqual({ type: 'command_host_started', id: 4, socketPath: '/tmp/x', token })
    expect(token).toMatch(/^[0-9a-f]{48}$/)
  })

  test('takes its command host along when it dies', async () => {
    const { fake } = await booted()
    fake.processes[0]?.emit('message', { type: 'command_host', id: 4 })
    fake.processes[0]?.emit('exit', 1)
    expect(fake.processes[1]?.killed).toBe(true)
  })

  test('may ask main only for known services', async () => {
    const { fake } = await booted()
    fake.processes[0]?.emit('message', { type: 'native', id: 1, method: 'constructor', params: {} })
    await vi.waitFor(() =>
      expect(fake.processes[0]?.received.at(-1)?.message).toMatchObject({ type: 'native_result', id: 1, error: { code: 'NOT_AVAILABLE' } }),
    )
  })

  test('hears of sleep and waking', async () => {
    const { fake } = await booted()
    fake.power.emit('suspend')
    fake.power.emit('resume')
    expect(fake.processes[0]?.received.map((entry) => entry.message)).toEqual([
      { type: 'power', state: 'suspend' },
      { type: 'power', state: 'resume' },
    ])
  })
})

describe('quitting', () => {
  test('waits until the host has drained, then quits once', async () => {
    const { fake } = await booted()
    fake.app.quit()
    expect(fake.calls).not.toContain('app quit')
    expect(fake.processes[0]?.received.at(-1)?.message).toMatchObject({ type: 'stop' })
    fake.processes[0]?.emit('exit', 0)
    await vi.waitFor(() => expect(fake.calls.filter((call) => call === 'app quit')).toHaveLength(1))
    expect(fake.processes).toHaveLength(1)
  })
})
