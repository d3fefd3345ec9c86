import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface StorageProcess {
  readonly child: ChildProcess
  /** The next line it says. Rejects when it ends first. */
  next(): Promise<Record<string, unknown>>
  tell(line: string): void
  /** Resolves with exit code or signal. */
  ended: Promise<number | string | null>
}

/** Starts `storage-process.ts`. `wrap` stands before the command, for strace and the like. */
export function startProcess(
  args: readonly string[],
  options: { script?: string; wrap?: readonly string[]; env?: Record<string, string> } = {},
): StorageProcess {
  const script = options.script ?? fileURLToPath(new URL('storage-process.ts', import.meta.url))
  const [command, ...rest] = [...(options.wrap ?? []), process.execPath, script, ...args]
  const child = spawn(command ?? process.execPath, rest, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...options.env } })
  const lines: Record<string, unknown>[] = []
  const waiting: { resolve: (value: Record<string, unknown>) => void; reject: (error: Error) => void }[] = []
  let over = false
  createInterface({ input: child.stdout }).on('line', (line) => {
    const value = JSON.parse(line) as Record<string, unknown>
    const waiter = waiting.shift()
    if (waiter === undefined) lines.push(value)
    else waiter.resolve(value)
  })
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => {
      over = true
      for (const waiter of waiting) waiter.reject(new Error(`the process ended (${String(code ?? signal)})`))
      resolve(code ?? signal)
    })
  })
  return {
    child,
    next: () =>
      new Promise((resolve, reject) => {
        const line = lines.shift()
        if (line !== undefined) resolve(line)
        else if (over) reject(new Error('the process has ended'))
        else waiting.push({ resolve, reject })
      }),
    tell: (line) => void child.stdin.write(`${line}\n`),
    ended,
  }
}
