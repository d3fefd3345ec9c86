import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import type { CommandReply, CommandRequest } from '#contracts/tools/command-host-protocol.ts'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { yieldToOthers } from '#main/command-host/yield-to-others.ts'
import { eventually } from '#tests/helpers/eventually.ts'

const ENTRY = new URL('../../../main/command-host/entry.ts', import.meta.url).pathname
const LINUX = process.platform === 'linux'

const hosts: LaunchedCommandHost[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()))
})

/** @returns the process that `sleep` runs in. */
async function started(stdin: boolean): Promise<number> {
  const host = await launchCommandHost({ entry: ENTRY, execPath: process.execPath })
  hosts.push(host)
  const socket = connect(host.socketPath)
  const send = (request: CommandRequest): void => void socket.write(`${JSON.stringify(request)}\n`)
  send({ type: 'hello', token: host.token })
  send({ type: 'start', id: 'one', argv: ['/bin/sleep', '60'], cwd: '/', env: { METONA_CALL: 'one' }, stdin })
  for await (const line of createInterface({ input: socket })) {
    const reply = JSON.parse(line) as CommandReply
    if (reply.type === 'started') return reply.pid
  }
  throw new Error('the command host said nothing of a start')
}

/** As sched(7) has it; `undefined` where the kernel has no such groups. */
const sessionNiceness = async (pid: number): Promise<string | undefined> => {
  const file = `/proc/${pid}/autogroup`
  return existsSync(file) ? (await readFile(file, 'latin1')).replace(/^\S+ /, '').trim() : undefined
}
const IN_GROUPS = existsSync('/proc/self/autogroup')

test.runIf(LINUX)('a command leaves the processor to others, as a process and as a session', async () => {
  const pid = await started(false)
  expect(getPriority(pid)).toBe(Math.min(19, getPriority() + 5))
  const wanted = IN_GROUPS ? 'nice 10' : undefined
  await eventually('the session to stand back', async () => (await sessionNiceness(pid)) === wanted)
  await eventually('it to be the first to go', async () => (await readFile(`/proc/${pid}/oom_score_adj`, 'latin1')).trim() === '500')
})

test.runIf(LINUX)('a server that is spoken to does not', async () => {
  const pid = await started(true)
  expect(getPriority(pid)).toBe(getPriority())
  expect(await sessionNiceness(pid)).toBe(IN_GROUPS ? 'nice 0' : undefined)
})

test.runIf(LINUX)('a process that has ended already is nothing to complain of', async () => {
  const child = spawn('/bin/true', { stdio: 'ignore' })
  await once(child, 'close')
  expect(() => yieldToOthers(child.pid ?? 0)).not.toThrow()
})
