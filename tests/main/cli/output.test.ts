import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { close, constants, createReadStream, open, type write } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { pipeOutput } from '#main/cli/output.ts'

type Write = typeof write
type Done = (error: NodeJS.ErrnoException | null, written: number) => void

/** A descriptor that takes what `take` says of each write. */
function scripted(take: (bytes: Buffer) => number | NodeJS.ErrnoException): { writeTo: Write; written: Buffer[] } {
  const written: Buffer[] = []
  const writeTo = ((_descriptor: number, bytes: Buffer, _offset: number, _length: number, _position: null, done: Done) => {
    setImmediate(() => {
      const result = take(bytes)
      if (typeof result !== 'number') return done(result, 0)
      written.push(Buffer.from(bytes.subarray(0, result)))
      done(null, result)
    })
  }) as unknown as Write
  return { writeTo, written }
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

test('what is written in pieces comes out whole and in order', async () => {
  const { writeTo, written } = scripted((bytes) => Math.min(3, bytes.length))
  const output = pipeOutput(9, writeTo)
  output.line('ein')
  output.line('zwei')
  output.write('三')
  await output.flushed()
  expect(Buffer.concat(written).toString()).toBe('ein\nzwei\n三')
  expect(output.waiting()).toBe(0)
})

test('a pipe that is full for a moment is tried again', async () => {
  let full = 3
  const { writeTo, written } = scripted((bytes) => (full-- > 0 ? failure('EAGAIN') : bytes.length))
  const output = pipeOutput(9, writeTo)
  output.write('text')
  await output.flushed()
  expect(Buffer.concat(written).toString()).toBe('text')
})

test('a reader that went away is told of once, and later text goes nowhere', async () => {
  let calls = 0
  const { writeTo, written } = scripted(() => failure('EPIPE'))
  const output = pipeOutput(9, writeTo)
  output.onClosed(() => (calls += 1))
  output.write('text')
  await output.flushed()
  output.write('more')
  await output.flushed()
  expect({ calls, closed: output.closed, written, waiting: output.waiting() }).toEqual({ calls: 1, closed: true, written: [], waiting: 0 })
})

test('a reader that does not read holds back the output, not the event loop', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'metona-output-'))
  const pipe = path.join(folder, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  // Opened for both, so that opening does not wait and nobody reads.
  const descriptor = await promisify(open)(pipe, constants.O_RDWR)
  const output = pipeOutput(descriptor)
  const text = 'x'.repeat(1024 * 1024)
  output.write(text)
  const turned = await new Promise<string>((resolve) => setTimeout(() => resolve('the loop turned'), 50))
  expect(turned).toBe('the loop turned')
  expect(output.waiting()).toBeGreaterThan(0)
  let read = 0
  await new Promise<void>((resolve, reject) => {
    const reader = createReadStream(pipe)
    reader.on('data', (chunk) => {
      read += chunk.length
      if (read === text.length) {
        reader.destroy()
        resolve()
      }
    })
    reader.on('error', reject)
  })
  await output.flushed()
  expect({ read, waiting: output.waiting() }).toEqual({ read: text.length, waiting: 0 })
  await promisify(close)(descriptor)
  await rm(folder, { recursive: true })
})
