import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Connection } from '#contracts/wire/connect.ts'
import { toolsService } from '#contracts/tools/tools-service.ts'
import type { ToolLive } from '#contracts/tools/tool-live.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { FromWorker } from '#contracts/wire/worker-lifecycle.ts'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { describeTools } from '#workers/tools/describe-tools.ts'
import { livingProcesses } from '../../main/command-host/living-processes.ts'
import { settles } from '../../main/command-host/settles.ts'

let base: string
let worker: Worker
let connection: Connection<typeof toolsService>
const hosts: LaunchedCommandHost[] = []
const place = () => ({ workspace: join(base, 'ws'), sessionId: 's_entry00001', sandbox: 'off' as const })

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'metona-entry-')))
  await mkdir(join(base, 'ws'))
  worker = new Worker(new URL('../../../workers/tools/entry.ts', import.meta.url), {
    workerData: { name: 'tools', profile: join(base, 'profile'), bundles: '', agentVersion: '0' },
  })
  worker.on('message', (message: FromWorker) => {
    if (message.type !== 'need' || message.peer !== 'command_host') return
    void launchCommandHost({
      entry: new URL('../../../main/command-host/entry.ts', import.meta.url).pathname,
      execPath: process.execPath,
    }).then((host) => {
      hosts.push(host)
      worker.postMessage({ type: 'command_host', socketPath: host.socketPath, token: host.token })
    })
  })
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ type: 'peer', peer: 'session', port: port2 }, [port2])
  connection = connect(toolsService, port1 as unknown as Port)
})
afterEach(async () => {
  connection.close()
  await worker.terminate()
  await Promise.all(hosts.splice(0).map((host) => host.stop()))
  await rm(base, { recursive: true, force: true })
})

async function run(name: string, args: Record<string, unknown>, id: string, signal?: AbortSignal) {
  const call = { id, name, args, iteration: 1, timestamp: 1 }
  const prepared = await connection.client.prepare({ place: place(), call })
  if (!prepared.ok) return { result: prepared.result, live: [] }
  const { port1, port2 } = new MessageChannel()
  const live: ToolLive[] = []
  port1.on('message', (message: ToolLive) => live.push(message))
  const answer = await connection.client.run(
    { place: place(), call, argumentsHash: prepared.argumentsHash, port: port2 as unknown as Port },
    signal === undefined ? {} : { signal, graceMs: 20_000 },
  )
  return { ...answer, live }
}

test('the worker serves the tools the build describes, in a thread of its own', async () => {
  expect((await connection.client.describe({})).tools).toEqual(describeTools())
  const { threadId } = await connection.client.health({})
  expect(threadId).toBe(worker.threadId)
})

test('every tool of the contract is there with exactly its arguments', () => {
  const shapes = Object.fromEntries(
    describeTools().map(({ definition }) => [
      definition.name,
      [Object.keys(definition.parameters['properties'] as object), definition.parameters['required'] ?? []],
    ]),
  )
  expect(shapes).toMatchObject({
    read_file: [['file_path', 'offset', 'limit'], ['file_path']],
    write_file: [
      ['file_path', 'content'],
      ['file_path', 'content'],
    ],
    edit_file: [
      ['file_path', 'old_text', 'new_text'],
      ['file_path', 'old_text', 'new_text'],
    ],
    list_directory: [['path'], ['path']],
    find_files: [['pattern', 'path'], ['pattern']],
    search_text: [['pattern', 'path'], ['pattern']],
    run_command: [['command', 'timeout_ms', 'background'], ['command']],
    analyze_csv: [['file_path'], ['file_path']],
    fetch_url: [['url'], ['url']],
  })
})

test('a command runs through the command host, warmed ahead', async () => {
  await connection.client.warm({})
  expect(hosts.length).toBe(1)
  const answer = await run('run_command', { command: 'echo over the wire' }, 'tc_entry00001')
  expect(answer.result).toMatchObject({ success: true, result: 'over the wire\n[Exit code 0.]' })
  expect(hosts.length).toBe(1)
})

test('a table is analysed in another thread', async () => {
  await writeFile(join(base, 'ws/data.csv'), 'a,b\n1,2\n3,4\n')
  expect((await run('analyze_csv', { file_path: 'data.csv' }, 'tc_entry00002')).result).toMatchObject({
    success: true,
    result: { rows: 2 },
  })
})

test('unknown tools, arguments that were no JSON, and tools that fail are results, not errors', async () => {
  expect((await run('no_such_tool', {}, 'tc_entry00003')).result.summary).toMatch(/There is no tool "no_such_tool"\. There are: read_file/)
  const broken = await connection.client.prepare({
    place: place(),
    call: {
      id: 'tc_entry00004',
      name: 'read_file',
      args: {},
      iteration: 1,
      timestamp: 1,
      invalidArguments: { raw: '{"file', reason: 'cut off' },
    },
  })
  expect(broken).toMatchObject({ ok: false, result: { success: false, summary: expect.stringContaining('cut off') } })
  expect((await run('read_file', { file_path: 'none' }, 'tc_entry00005')).result).toMatchObject({ success: false })
})

test('a cancel over the wire ends the tree and brings back the evidence', async () => {
  const controller = new AbortController()
  const id = `tc_entrycancel${process.pid}`
  const running = run('run_command', { command: 'echo begun; setsid sleep 600 & sleep 600' }, id, controller.signal)
  await settles(() => expect(livingProcesses(`METONA_CALL=${id}`).length).toBeGreaterThanOrEqual(2))
  controller.abort()
  expect(await running).toMatchObject({ outcome: 'aborted', stop: { survivors: [] }, result: { success: false } })
  expect(livingProcesses(`METONA_CALL=${id}`)).toEqual([])
})

test('when the thread ends, its commands end with it', async () => {
  const id = `tc_entryend${process.pid}`
  void run('run_command', { command: 'setsid sleep 600 & sleep 600' }, id).catch(() => {})
  await settles(() => expect(livingProcesses(`METONA_CALL=${id}`).length).toBeGreaterThanOrEqual(2))
  await worker.terminate()
  await settles(() => expect(livingProcesses(`METONA_CALL=${id}`)).toEqual([]))
})
