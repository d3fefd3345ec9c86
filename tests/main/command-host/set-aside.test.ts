/** Protected names while a command is held and after: nothing of the person's is deleted, nothing of theirs is moved once it is over. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Confinement } from '#contracts/tools/command-host-protocol.ts'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { livingProcesses } from './living-processes.ts'
import { settles } from './settles.ts'

const ENTRY = new URL('../../../main/command-host/entry.ts', import.meta.url).pathname

describe.skipIf(process.platform === 'win32')('a folder with held commands', () => {
  let root: string
  let host: LaunchedCommandHost
  let socket: Socket
  let received = ''
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'metona-held-'))
    host = await launchCommandHost({ entry: ENTRY, execPath: process.execPath })
    received = ''
    socket = connect(host.socketPath)
    socket.on('error', () => {})
    socket.on('data', (chunk) => (received += chunk.toString('utf8')))
    socket.write(`${JSON.stringify({ type: 'hello', token: host.token })}\n`)
  })
  afterEach(async () => {
    await host.stop()
    await rm(root, { recursive: true, force: true })
  })

  const start = async (id: string, script: string, part: Partial<Confinement> = {}): Promise<void> => {
    const limits = { memoryBytes: Number.MAX_SAFE_INTEGER, processes: Number.MAX_SAFE_INTEGER }
    const confinement = { root, standIns: [], links: [], unwanted: [join(root, 'HEAD')], limits, ...part }
    const argv = ['/bin/sh', '-c', script]
    socket.write(`${JSON.stringify({ type: 'start', id, argv, cwd: root, env: { PATH: '/usr/bin:/bin' }, stdin: false, confinement })}\n`)
    await settles(() => expect(received).toMatch(new RegExp(`"type":"started","id":"${id}"`)))
  }
  const ended = (id: string): Promise<void> => settles(() => expect(received).toMatch(new RegExp(`"type":"exit","id":"${id}"`)))
  const makeHead = async (): Promise<void> => {
    await mkdir(join(root, 'HEAD'))
    await writeFile(join(root, 'HEAD', 'kept'), 'of the person')
  }
  const guardGone = (): Promise<void> => settles(() => expect(livingProcesses(dirname(host.socketPath))).toEqual([]))
  const kill = async (): Promise<void> => {
    process.kill(host.pid, 'SIGKILL')
    await guardGone()
  }

  test.each(['ends in order', 'is killed'])('what is made under an unwanted name after the command stays when the host %s', async (how) => {
    await start('one', 'true')
    await ended('one')
    await makeHead()
    if (how === 'is killed') await kill()
    else await host.stop()
    await guardGone()
    expect([await readdir(root), await readFile(join(root, 'HEAD', 'kept'), 'utf8')]).toEqual([['HEAD'], 'of the person'])
  })

  test('one of two commands over: the name is still watched, and what is there at a kill is set aside, not deleted', async () => {
    await start('one', 'sleep 600', { standIns: [join(root, '.metona')] })
    await start('two', 'true')
    await ended('two')
    await makeHead()
    await kill()
    expect(await readdir(root)).toEqual(['.metona'])
    const [moved, ...more] = await readdir(join(root, '.metona', 'set-aside'))
    expect([moved, more]).toEqual([expect.stringMatching(/^HEAD-/), []])
    expect(await readFile(join(root, '.metona', 'set-aside', moved as string, 'kept'), 'utf8')).toBe('of the person')
  })

  test('a stand-in that the person filled stays, an empty one goes', async () => {
    await start('one', 'sleep 600', { standIns: ['.git', '.env', '.github'].map((name) => join(root, name)) })
    await writeFile(join(root, '.git', 'config'), 'of the person')
    await mkdir(join(root, '.github', 'workflows'))
    await kill()
    expect(await readdir(root, { recursive: true }).then((names) => names.sort())).toEqual([
      '.git',
      '.git/config',
      '.github',
      '.github/workflows',
    ])
  })
})
