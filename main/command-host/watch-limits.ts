/**
 * Memory and number of processes of a sandboxed command, looked at while it runs. The kernel's own limits count
 * per process, or not at all for root; this counts the whole tree below the sandbox's first process.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { Limit } from '#contracts/tools/command-host-protocol.ts'

const INTERVAL_MS = 200

/** @returns ends the watching. `exceeded` is called at most once. */
export function watchLimits(
  pid: number,
  limits: { readonly memoryBytes: number; readonly processes: number },
  exceeded: (limit: Limit) => void,
): () => void {
  let watching = true
  const look = async (): Promise<void> => {
    const { processes, bytes } = await measure(pid, limits.processes)
    if (!watching) return
    const limit: Limit | undefined = processes > limits.processes ? 'processes' : bytes > limits.memoryBytes ? 'memory' : undefined
    if (limit === undefined) return again()
    watching = false
    exceeded(limit)
  }
  let timer: NodeJS.Timeout
  const again = (): void => {
    timer = setTimeout(() => void look(), INTERVAL_MS)
  }
  again()
  return () => {
    watching = false
    clearTimeout(timer)
  }
}

/** Stops counting at one above `most`: a tree that grows faster than it is read must not keep us here. */
async function measure(root: number, most: number): Promise<{ processes: number; bytes: number }> {
  let level = [root]
  let processes = 0
  let bytes = 0
  while (level.length > 0 && processes <= most) {
    processes += level.length
    const found = await Promise.all(
      level.slice(0, most + 1).map(async (pid) => {
        const [status, tasks] = await Promise.all([read(`/proc/${pid}/status`), readdir(`/proc/${pid}/task`).catch(() => [])])
        bytes += Number(/^RssAnon:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
        // Each thread has the children it started itself.
        const children = await Promise.all(tasks.map((task) => read(`/proc/${pid}/task/${task}/children`)))
        return children.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
      }),
    )
    level = found.flat()
  }
  return { processes, bytes }
}

/** Processes end between two looks. */
function read(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '')
}
