import { readdir, readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { createPoolTasks } from '#workers/tools/pool/pool-tasks.ts'

/** Niceness of every thread of this process (proc(5): the 19th field of `stat`). */
async function nicenesses(): Promise<number[]> {
  const threads = await readdir('/proc/self/task')
  const stats = await Promise.all(threads.map((thread) => readFile(`/proc/self/task/${thread}/stat`, 'latin1').catch(() => undefined)))
  return stats.flatMap((stat) => (stat === undefined ? [] : [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])]))
}

test.runIf(process.platform === 'linux')('a thread for heavy work stands behind all others, and only that thread', async () => {
  const own = getPriority()
  const before = await nicenesses()
  const pool = createPoolTasks()
  try {
    await pool.htmlToMarkdown(
      { html: '<main><h1>Title</h1><p>Some text.</p></main>', url: 'https://example.org/' },
      new AbortController().signal,
    )
    const after = await nicenesses()
    expect(before.filter((niceness) => niceness > own)).toEqual([])
    expect(after.filter((niceness) => niceness > own)).toEqual([Math.min(19, own + 10)])
  } finally {
    await pool.close()
  }
})
