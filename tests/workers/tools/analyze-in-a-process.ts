/** Analyses `big.csv` of the folder given, in a process of its own, and prints the report and how far its memory rose. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { catalog } from '#workers/tools/catalog/index.ts'
import { createToolServices } from '#workers/tools/create-services.ts'
import { createToolsHandlers } from '#workers/tools/service.ts'

const profile = mkdtempSync(join(tmpdir(), 'metona-csv-'))
const services = createToolServices({ profile, commandHost: () => Promise.reject(new Error('no command is run here')) })
const handlers = createToolsHandlers(catalog, services)
const place = { workspace: process.argv[2] as string, sessionId: 's_csv0000001', sandbox: 'off' as const }
const call = { id: 'tc_csv0000001', name: 'analyze_csv', args: { file_path: 'big.csv' }, iteration: 1, timestamp: 1 }
const context = { signal: new AbortController().signal }
const peak = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? process.memoryUsage().rss / 1024) / 1024

const prepared = await handlers.prepare({ place, call }, context)
if (!prepared.ok) throw new Error(JSON.stringify(prepared))
const before = process.memoryUsage().rss / 1024 / 1024
let progress = 0
const { port1, port2 } = new MessageChannel()
port1.on('message', () => progress++)
const answer = await handlers.run({ place, call, argumentsHash: prepared.argumentsHash, port: port2 as never }, context)
process.stdout.write(JSON.stringify({ report: answer.result.result, progress, riseMiB: peak() - before }))
await services.pool.close()
rmSync(profile, { recursive: true, force: true })
