/** A storage of its own process: opens, tells, and does what each line of its input says until it is killed or told to end. */
import { createInterface } from 'node:readline'
import { writeSync } from 'node:fs'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { openStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

const [base, waitMs = '0', profile] = process.argv.slice(2)
if (base === undefined) throw new Error('usage: storage-process BASE [WAIT_MS] [PROFILE]')
const say = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`)

const { TEST_VFS: vfs } = process.env
const storage = openStorage(base, { ...(profile === undefined ? {} : { profile }), ...(vfs === undefined ? {} : { connection: { vfs } }) })
async function open(wait: number): Promise<boolean> {
  try {
    const opened = await storage.service.openWorkspace({ path: storage.folder, trust: 'once', mode: 'write', waitMs: wait })
    say({ opened: true, pid: process.pid, readOnly: opened.readOnly, banners: opened.banners.map((banner) => banner.code) })
    return true
  } catch (error) {
    say({ opened: false, ...toErrorData(error) })
    return false
  }
}

// `manual`: opens only when told to, as often as told.
if (waitMs === 'manual') say({ ready: true })
else if (!(await open(Number(waitMs)))) process.exit(3)
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...words] = line.split(' ')
  if (verb === 'open') await open(Number(words[0]))
  if (verb === 'append') {
    const [sessionId = '', turns = '1'] = words
    const { lastSeq } = await storage.append(sessionScript({ sessionId, turns: Number(turns) }))
    say({ appended: sessionId, lastSeq })
  }
  // What a program does that shows first and commits afterwards.
  if (verb === 'append-late') {
    const [sessionId = ''] = words
    const events = sessionScript({ sessionId, turns: 1 })
    say({ appended: sessionId, lastSeq: events.length - 1 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await storage.append(events)
  }
  if (verb === 'close') {
    await storage.service.closeWorkspace({ workspace: storage.folder })
    say({ closed: true })
  }
  if (verb === 'end') break
}
await storage.close()
process.exit(0)
