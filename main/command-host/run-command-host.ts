/** The whole of the command host; `entry.ts` says what it is. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveConnection } from './connection.ts'
import type { ProxyNetwork } from './dial-public.ts'
import { writeHostRecord } from './leftovers.ts'
import { startOrphanGuard } from './orphan-guard.ts'
import { SandboxStarter } from './sandbox-starter.ts'
import { StandIns } from './stand-ins.ts'

interface ElectronParentPort {
  postMessage(message: unknown): void
  on(event: 'close', listener: () => void): void
}

/** Kernels refuse longer socket paths (108 bytes on Linux, 104 on macOS). */
const SOCKET_PATH_LIMIT = 100

/** @param network how the names that commands may reach are resolved and dialled; default the machine's own way. */
export async function runCommandHost(network?: ProxyNetwork): Promise<void> {
  const token = process.env['METONA_COMMAND_HOST_TOKEN'] ?? ''
  delete process.env['METONA_COMMAND_HOST_TOKEN']
  if (token.length < 16) {
    process.stderr.write('metona command host: METONA_COMMAND_HOST_TOKEN is missing\n')
    process.exit(2)
  }

  const records = process.env['METONA_COMMAND_HOST_RECORDS'] ?? ''
  delete process.env['METONA_COMMAND_HOST_RECORDS']

  const identity = randomBytes(16).toString('hex')
  const hostMarker = `METONA_HOST=${identity}`
  const { folder, socketPath } = await makeSocketPlace(identity)
  const standIns = new StandIns(Number.parseInt(identity.slice(0, 8), 16) / 2 ** 32)
  const guard = startOrphanGuard(hostMarker, folder, standIns.stamp)
  const starter = new SandboxStarter(hostMarker, guard, folder)
  const [deathPrefix, forgetRecord] = await Promise.all([findDeathPrefix(), writeHostRecord(records, hostMarker)])
  let claimed = false
  let ending = false
  const clients = new Set<{ killAll(): Promise<void> }>()

  const server = createServer((socket) => {
    const client = serveConnection(socket, {
      token,
      hostMarker,
      deathPrefix,
      place: { standIns, guard, starter },
      ...(network === undefined ? {} : { network }),
      claim: () => {
        const first = !claimed
        claimed = true
        return first
      },
      closed: () => void end(),
    })
    clients.add(client)
    socket.once('close', () => {
      if (!claimed) clients.delete(client)
    })
  })
  server.maxConnections = 8
  server.on('error', (error) => {
    process.stderr.write(`metona command host: ${error.message}\n`)
    process.exit(1)
  })
  server.listen(socketPath, announce)

  process.on('disconnect', () => void end())
  process.on('SIGTERM', () => void end())
  process.on('SIGINT', () => void end())
  process.on('SIGHUP', () => void end())

  async function end(): Promise<void> {
    if (ending) return
    ending = true
    server.close()
    await Promise.all([starter.close(), ...[...clients].map((client) => client.killAll())])
    if (folder !== '') await rm(folder, { recursive: true, force: true })
    await forgetRecord()
    process.exit(0)
  }

  function announce(): void {
    const message = { type: 'listening', socketPath, pid: process.pid }
    const electronPort = (process as unknown as { parentPort?: ElectronParentPort }).parentPort
    if (process.send !== undefined) process.send(message)
    else if (electronPort !== undefined && electronPort !== null) {
      electronPort.postMessage(message)
      electronPort.on('close', () => void end())
    } else process.stdout.write(`${JSON.stringify(message)}\n`)
  }
}

/** A folder only this user can enter; the kernel then guards the socket in it. */
async function makeSocketPlace(identity: string): Promise<{ folder: string; socketPath: string }> {
  if (process.platform === 'win32') return { folder: '', socketPath: `\\\\.\\pipe\\metona-${identity}` }
  const base = Buffer.byteLength(tmpdir()) + 24 > SOCKET_PATH_LIMIT ? '/tmp' : tmpdir()
  const made = await mkdtemp(join(base, 'metona-'))
  return { folder: made, socketPath: join(made, 'commands') }
}

/** `setpriv` of util-linux can tie a command's life to ours in the kernel; the guard covers what it starts in turn. */
function findDeathPrefix(): Promise<readonly string[]> {
  const prefix = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--']
  if (process.platform !== 'linux') return Promise.resolve([])
  return new Promise((resolve) => {
    execFile(prefix[0] as string, [...prefix.slice(1), '/bin/true'], { timeout: 3000 }, (error) => resolve(error === null ? prefix : []))
  })
}
