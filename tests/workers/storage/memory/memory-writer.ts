/** A process that changes MEMORY.md: `node memory-writer.ts FOLDER [without…]`; says what it did, a line each. */
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { MemoryFileStore } from '#workers/storage/memory/memory-file-store.ts'

const [root = '', ...without] = process.argv.slice(2)
const store = new MemoryFileStore({
  layout: { root, internals: join(root, '.metona') },
  profile: join(root, '.metona', 'profile'),
  now: () => new Date().toISOString(),
  without: { lock: without.includes('lock'), compare: without.includes('compare'), journal: without.includes('journal') },
})
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

createInterface({ input: process.stdin }).on('line', (line) => void run(line))
say({ ready: true })

async function run(line: string): Promise<void> {
  const [, name = '', count = '1'] = line.split(' ')
  for (let index = 0; index < Number(count); index++) {
    const before = performance.now()
    try {
      await store.change({ kind: 'add', section: 'todo', text: `[pending] ${name}-${index}` })
      say({ done: `${name}-${index}`, milliseconds: performance.now() - before })
    } catch (error) {
      say({ failed: `${name}-${index}`, reason: String(error) })
    }
  }
  say({ finished: name })
}
