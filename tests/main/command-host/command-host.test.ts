import { fork, spawn, type ChildProcess } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandReply, CommandRequest } from '#contracts/tools/command-host-protocol.ts'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { settles } from './settles.ts'
import { livingProcesses } from './living-processes.ts'

const ENTRY = new URL('../../../main/command-host/entry.ts', import.meta.url).pathname
const LINUX = process.platform === 'linux'

interface Client {
  readonly socket: Socket
  readonly replies: CommandReply[]
  send(request: CommandRequest): void
  start(id: string, script: string, extra?: Partial<Extract<CommandRequest, { type: 'start' }>>): void
  reply<T extends CommandReply['type']>(type: T, id: string): Promise<Extract<CommandReply, { type: T }>>
  text(id: string): string
}

const hosts: LaunchedCommandHost[] = []
const clean: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()))
  await Promise.all(clean.splice(0).map((step) => step()))
})

async function launch(): Promise<LaunchedCommandHost> {
  const host = await launchCommandHost({ entry: ENTRY, execPath: process.execPath })
  hosts.push(host)
  return host
}

function joinHost(host: { socketPath: string; token: string }, hello = host.token): Client {
  const socket = connect(host.socketPath)
  const replies: CommandReply[] = []
  let rest = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    rest += chunk.toString('utf8')
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) replies.push(JSON.parse(line) as CommandReply)
  })
  const client: Client = {
    socket,
    replies,
    send: (request) => void socket.write(`${JSON.stringify(request)}\n`),
    start: (id, script, extra = {}) =>
      client.send({
        type: 'start',
        id,
        argv: ['/bin/sh', '-c', script],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', METONA_CALL: id },
        stdin: false,
        ...extra,
      }),
    reply: (type, id) =>
      settles(() => {
        const found = replies.find((reply) => reply.type === type && 'id' in reply && reply.id === id)
        expect(found).toBeDefined()
        return found as never
      }),
    text: (id) =>
      replies
        .flatMap((reply) => (reply.type === 'output' && reply.id === id ? [Buffer.from(reply.base64, 'base64').toString()] : []))
        .join(''),
  }
  client.send({ type: 'hello', token: hello })
  return client
}

/** A marker that no other test run has. */
const unique = (name: string): string => `${name}_${process.pid}_${Math.trunc(performance.now())}`

test('a command gets the given environment and folder, no input, and reports its exit code', async () => {
  const client = joinHost(await launch())
  const id = unique('plain')
  client.start(id, 'pwd; echo "$SECRET|$GIVEN"; cat; exit 7', { cwd: '/usr', env: { PATH: '/usr/bin:/bin', GIVEN: 'yes' } })
  const exit = await client.reply('exit', id)
  expect(client.text(id)).toBe('/usr\n|yes\n')
  expect(exit).toEqual({ type: 'exit', id, exitCode: 7, signal: null, timedOut: false, found: 0, killed: 0, survivors: [] })
})

test('a wrong token closes the connection, and the right one works only once', async () => {
  const host = await launch()
  const wrong = joinHost(host, 'x'.repeat(host.token.length))
  await settles(() => expect(wrong.socket.destroyed).toBe(true))
  expect(wrong.replies).toEqual([])
  const first = joinHost(host)
  await settles(() => expect(first.replies.map((reply) => reply.type)).toEqual(['welcome']))
  const second = joinHost(host)
  await settles(() => expect(second.socket.destroyed).toBe(true))
  expect(second.replies).toEqual([])
})

test('the socket lies in a folder only this user can enter', async () => {
  const host = await launch()
  const folder = await stat(dirname(host.socketPath))
  expect(folder.mode & 0o777).toBe(0o700)
})

test('a program that does not exist is a failed start with its code', async () => {
  const client = joinHost(await launch())
  client.send({ type: 'start', id: 'absent', argv: ['/nonexistent/program'], cwd: '/', env: {}, stdin: false })
  const answer = await settles(() => {
    const found = client.replies.find((reply) => reply.type === 'failed' || reply.type === 'exit')
    expect(found).toBeDefined()
    return found
  })
  // With the kernel's tie to this process in front, the failure is that program's exit.
  if (answer?.type === 'failed') expect(answer.code).toBe('ENOENT')
  else expect(answer).toMatchObject({ type: 'exit', exitCode: 127 })
})

test('a stdio server gets what is written to it', async () => {
  const client = joinHost(await launch())
  const id = unique('stdio')
  client.start(id, 'cat; echo end', { stdin: true })
  client.send({ type: 'write', id, base64: Buffer.from('hello\n').toString('base64') })
  await settles(() => expect(client.text(id)).toBe('hello\n'))
  client.send({ type: 'end_input', id })
  await client.reply('exit', id)
  expect(client.text(id)).toBe('hello\nend\n')
})

test('output stops one mebibyte ahead of the credit given', async () => {
  const client = joinHost(await launch())
  const id = unique('credit')
  client.start(id, 'head -c 20000000 /dev/zero')
  const received = (): number =>
    client.replies.reduce((sum, reply) => sum + (reply.type === 'output' ? Buffer.from(reply.base64, 'base64').length : 0), 0)
  await settles(() => expect(received()).toBeGreaterThanOrEqual(1024 * 1024))
  // Everything that may come unasked has come once the next command's whole life fits in between.
  client.start(`${id}_after`, 'true')
  await client.reply('exit', `${id}_after`)
  expect(received()).toBeLessThan(1024 * 1024 + 256 * 1024)
  let credited = 0
  await settles(() => {
    client.send({ type: 'credit', id, bytes: received() - credited })
    credited = received()
    expect(credited).toBe(20_000_000)
  })
  await client.reply('exit', id)
  expect(received()).toBe(20_000_000)
})

test('the time limit ends the tree and says so', async () => {
  const client = joinHost(await launch())
  const id = unique('limit')
  client.start(id, 'sleep 600 & sleep 600', { timeoutMs: 300 })
  const exit = await client.reply('exit', id)
  expect(exit).toMatchObject({ timedOut: true, survivors: [] })
  expect(livingProcesses(id)).toEqual([])
})

describe.runIf(LINUX)('nothing outlives a command', () => {
  const escapes: [string, string, number][] = [
    ['children in the same group', 'sleep 600 & sleep 600', 3],
    ['a session of its own', 'setsid sleep 600 & sleep 600', 3],
    ['nohup in the background', 'nohup sleep 600 >/dev/null 2>&1 & sleep 600', 3],
    ['a process that ignores TERM', `sh -c 'trap "" TERM; while :; do sleep 0.1; done' & sleep 600`, 3],
    ['a double fork that left the group', `(setsid sh -c 'sleep 600 & exec sleep 600' &) ; sleep 600`, 3],
    ['a cleaned environment in the same session', 'env -i sleep 600 & sleep 600', 3],
    ['a stopped process', 'sleep 600 & kill -STOP $!; sleep 600', 3],
  ]
  test.each(escapes)('Stop ends %s', async (_name, script, least) => {
    const client = joinHost(await launch())
    const id = unique('stop')
    client.start(id, script)
    await client.reply('started', id)
    await settles(() => expect(livingProcesses(id).length).toBeGreaterThanOrEqual(2))
    const asked = performance.now()
    client.send({ type: 'kill', id, graceMs: 500 })
    const exit = await client.reply('exit', id)
    expect(exit.survivors).toEqual([])
    expect(exit.found).toBeGreaterThanOrEqual(least - 1)
    expect(exit.killed).toBe(exit.found)
    expect(livingProcesses(id)).toEqual([])
    expect(performance.now() - asked).toBeLessThan(10_000)
  })

  test('what a finished command left in the background is ended and counted', async () => {
    const client = joinHost(await launch())
    const id = unique('leftover')
    client.start(id, 'setsid sleep 600 & nohup sleep 600 >/dev/null 2>&1 & echo done')
    const exit = await client.reply('exit', id)
    expect(exit).toMatchObject({ exitCode: 0, found: 2, killed: 2, survivors: [] })
    expect(livingProcesses(id)).toEqual([])
  })

  test('one command is ended without touching the others of the same host', async () => {
    const client = joinHost(await launch())
    const [one, other] = [unique('one'), unique('other')]
    client.start(one, 'sleep 600 & sleep 600')
    client.start(other, 'setsid sleep 600 & sleep 600')
    await settles(() => expect(livingProcesses(one).length + livingProcesses(other).length).toBeGreaterThanOrEqual(6))
    client.send({ type: 'kill', id: one, graceMs: 200 })
    await client.reply('exit', one)
    expect(livingProcesses(one)).toEqual([])
    expect(livingProcesses(other).length).toBe(3)
  })

  test('closing the connection ends every command and the host', async () => {
    const host = await launch()
    const client = joinHost(host)
    const id = unique('closed')
    client.start(id, 'setsid sleep 600 & sleep 600')
    await settles(() => expect(livingProcesses(id).length).toBe(3))
    client.socket.destroy()
    await settles(() => expect(livingProcesses(id)).toEqual([]))
    await settles(() => expect(livingProcesses(host.socketPath)).toEqual([]))
    await settles(async () => expect(await exists(dirname(host.socketPath))).toBe(false))
  })

  test('SIGKILL of the command host leaves nothing, not even its folder', async () => {
    const host = await launch()
    const client = joinHost(host)
    const id = unique('hostkill')
    client.start(id, `setsid sleep 600 & nohup sleep 600 & sh -c 'trap "" TERM; sleep 600'`)
    await settles(() => expect(livingProcesses(id).length).toBeGreaterThanOrEqual(4))
    process.kill(host.pid, 'SIGKILL')
    await settles(() => expect(livingProcesses(id)).toEqual([]))
    await settles(async () => expect(await exists(dirname(host.socketPath))).toBe(false))
  })

  test('control: without the guard, SIGKILL of a process leaves what it started', async () => {
    const marker = unique('control')
    const script = `require('node:child_process').spawn('/bin/sh', ['-c', 'setsid sleep 600 & sleep 600'], {detached: true, stdio: 'ignore', env: {PATH: process.env.PATH, METONA_CALL: '${marker}'}}); process.send('up'); setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    await new Promise((resolve) => parent.once('message', resolve))
    await settles(() => expect(livingProcesses(marker).length).toBeGreaterThanOrEqual(3))
    parent.kill('SIGKILL')
    await new Promise((resolve) => parent.once('exit', resolve))
    const left = livingProcesses(`METONA_CALL=${marker}`)
    for (const pid of left) process.kill(pid, 'SIGKILL')
    expect(left.length).toBeGreaterThanOrEqual(2)
  })

  test('SIGKILL of the app leaves neither the command host nor a command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'metona-app-'))
    clean.push(() => rm(folder, { recursive: true, force: true }))
    const id = unique('appkill')
    const app: ChildProcess = fork(new URL('./app-that-runs-a-command.ts', import.meta.url).pathname, [ENTRY, id], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const { pid, socketPath } = await new Promise<{ pid: number; socketPath: string }>((resolve) => app.once('message', resolve as never))
    await settles(() => expect(livingProcesses(`METONA_CALL=${id}`).length).toBeGreaterThanOrEqual(3))
    app.kill('SIGKILL')
    await settles(() => expect(livingProcesses(`METONA_CALL=${id}`)).toEqual([]))
    await settles(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/))
    await settles(async () => expect(await exists(dirname(socketPath))).toBe(false))
  })
})

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
