/** A storage of its own process: opens, tells, and does what each line of its input says until it is killed or told to end. */
import { createInterface } from 'node:readline'
import { writeSync } from 'node:fs'
import { openStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

const [base, waitMs = '0', profile] = process.argv.slice(2)
if (base === undefined) throw new Error('usage: storage-process BASE [WAIT_MS] [PROFILE]')
const say = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`)

const storage = openStorage(base, profile === undefined ? {} : { profile })
try {
  const opened = await storage.service.openWorkspace({ path: storage.folder, trust: 'once', mode: 'write', waitMs: Number(waitMs) })
  say({ opened: true, pid: process.pid, readOnly: opened.readOnly, banners: opened.banners.map((banner) => banner.code) })
} catch (error) {
  say({
    opened: false,
    code: (error as { code?: string }).code,
    message: (error as Error).message,
    params: (error as { params?: unknown }).params,
  })
  process.exit(3)
}
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...words] = line.split(' ')
  if (verb === 'append') {
    const [sessionId = '', turns = '1'] = words
    const { lastSeq } = await storage.append(sessionScript({ sessionId, turns: Number(turns) }))
    say({ appended: sessionId, lastSeq })
  }
  if (verb === 'end') break
}
await storage.close()
say({ closed: true })
process.exit(0)
