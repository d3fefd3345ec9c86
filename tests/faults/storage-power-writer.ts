/** Writes events and says, after each acknowledgement, what was acknowledged. Run under strace by the power-cut test. */
import { writeSync } from 'node:fs'
import { openStorage } from '../workers/storage/open-storage.ts'
import { sessionScript } from '../workers/storage/session-script.ts'

const [base = '', synchronous = 'FULL'] = process.argv.slice(2)
if (synchronous !== 'FULL' && synchronous !== 'NORMAL') throw new Error('FULL or NORMAL')
const storage = openStorage(base, { connection: { synchronous } })
await storage.open()
// Small, so that checkpoints happen in the middle of the run.
storage.workspaces.get(storage.folder).database.pragma('wal_autocheckpoint = 40')
const scripts = ['s_one', 's_two', 's_three'].map((sessionId, index) =>
  sessionScript({ sessionId, seed: index + 1, turns: 3, answerLength: 400 }),
)
const longest = Math.max(...scripts.map((events) => events.length))
for (let at = 0; at < longest; at += 3) {
  await Promise.all(
    scripts.map(async (events) => {
      const batch = events.slice(at, at + 3)
      if (batch.length === 0) return
      const { lastSeq } = await storage.append(batch)
      writeSync(1, `ack ${batch[0]?.sessionId ?? ''} ${lastSeq}\n`)
      const last = batch.find((event) => event.event === 'turn_end')
      if (last === undefined) return
      await storage.service.syncLog({ workspace: storage.folder, sessionId: last.sessionId })
      writeSync(1, `synced ${last.sessionId} ${last.seq}\n`)
    }),
  )
}
writeSync(1, 'done\n')
process.exit(0)
