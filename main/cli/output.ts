/** Standard output and error: in order, without blocking the event loop, quiet when the reader is gone. */
import { write } from 'node:fs'
import { isatty } from 'node:tty'

export interface Output {
  readonly isTerminal: boolean
  write(text: string): void
  line(text: string): void
  /** Everything so far has reached the reader, or the reader is gone. */
  flushed(): Promise<void>
  /** Bytes not yet taken by the reader. */
  waiting(): number
  /** The reader closed its end. */
  readonly closed: boolean
  onClosed(listener: () => void): void
}

/**
 * Node writes to a pipe synchronously: a reader that stops reading would stop the host, signals included.
 * So a pipe or file is written through the thread pool, one write at a time; a terminal as Node does it.
 */
export function openOutput(descriptor: 1 | 2): Output {
  return isatty(descriptor) ? terminalOutput(descriptor) : pipeOutput(descriptor)
}

function terminalOutput(descriptor: 1 | 2): Output {
  const stream = descriptor === 1 ? process.stdout : process.stderr
  const listeners: (() => void)[] = []
  let closed = false
  stream.on('error', () => {
    if (closed) return
    closed = true
    for (const listener of listeners) listener()
  })
  const put = (text: string): void => {
    if (!closed) stream.write(text)
  }
  return {
    isTerminal: true,
    write: put,
    line: (text) => put(`${text}\n`),
    flushed: () => (closed ? Promise.resolve() : new Promise((resolve) => stream.write('', () => resolve()))),
    waiting: () => stream.writableLength,
    get closed() {
      return closed
    },
    onClosed: (listener) => listeners.push(listener),
  }
}

/** A full pipe that was set non-blocking by whoever opened it is tried again after this long. */
const RETRY_MS = 5

export function pipeOutput(descriptor: number, writeTo: typeof write = write): Output {
  const listeners: (() => void)[] = []
  const waiters: (() => void)[] = []
  let queue: Buffer[] = []
  let queued = 0
  let writing = false
  let closed = false

  const settle = (): void => {
    for (const waiter of waiters.splice(0)) waiter()
  }
  const close = (): void => {
    closed = true
    queue = []
    queued = 0
    settle()
    for (const listener of listeners) listener()
  }
  const send = (bytes: Buffer): void => {
    writing = true
    writeTo(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => send(bytes), RETRY_MS)
      writing = false
      // A reader that went away, or a disk that is full: nothing can be said here any more.
      if (error !== null) return close()
      queued -= written
      if (written < bytes.length) return send(bytes.subarray(written))
      drain()
    })
  }
  const drain = (): void => {
    if (writing || closed) return
    if (queue.length === 0) return settle()
    const bytes = queue.length === 1 ? (queue[0] as Buffer) : Buffer.concat(queue)
    queue = []
    send(bytes)
  }
  const put = (text: string): void => {
    if (closed || text === '') return
    const bytes = Buffer.from(text)
    queue.push(bytes)
    queued += bytes.length
    drain()
  }
  return {
    isTerminal: false,
    write: put,
    line: (text) => put(`${text}\n`),
    flushed: () => (closed || queued === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    waiting: () => queued,
    get closed() {
      return closed
    },
    onClosed: (listener) => listeners.push(listener),
  }
}
