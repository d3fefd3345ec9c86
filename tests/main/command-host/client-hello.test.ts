/** The name a TLS client asks for, read from what real clients send and from what none would. */
import { expect, test } from 'vitest'
import { readClientHello } from '#main/command-host/client-hello.ts'
import { seededRandom } from '#tests/helpers/random.ts'
import { realHello } from './real-hello.ts'

/** The same message in records of `size` bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
  }
  return Buffer.concat(records)
}

test('a name, none, and not enough yet', async () => {
  const hello = await realHello('registry.example.org')
  expect(readClientHello(hello)).toEqual({ kind: 'hello', name: 'registry.example.org' })
  expect(readClientHello(await realHello(undefined))).toEqual({ kind: 'hello', name: undefined })
  for (const length of [0, 1, 4, 5, 9, 60, hello.length - 1]) expect(readClientHello(hello.subarray(0, length))).toEqual({ kind: 'more' })
})

test('the same hello in several records is the same; in very many it is none', async () => {
  const hello = await realHello('a.example.org')
  expect(readClientHello(inRecords(hello, 300))).toEqual({ kind: 'hello', name: 'a.example.org' })
  expect(readClientHello(inRecords(hello, 10))).toEqual({ kind: 'other' })
})

/** The hello with `extension` put in front of that for the name, all lengths right. */
function withExtension(hello: Buffer, name: string, extension: Buffer): Buffer {
  const at = hello.indexOf(name) - 9
  const more = Buffer.concat([hello.subarray(0, at), extension, hello.subarray(at)])
  more.writeUInt16BE(more.length - 5, 3)
  more.writeUIntBE(more.length - 9, 6, 3)
  const ciphers = 5 + 4 + 2 + 32 + 1 + 32
  const lengthAt = ciphers + 2 + more.readUInt16BE(ciphers) + 2
  more.writeUInt16BE(more.readUInt16BE(lengthAt) + extension.length, lengthAt)
  return more
}

test('two names, a hidden one, or lengths that lead outside, are no hello', async () => {
  const name = 'b.example.org'
  const hello = await realHello(name)
  const at = hello.indexOf(name) - 9
  expect(readClientHello(withExtension(hello, name, hello.subarray(at, at + 9 + name.length)))).toEqual({ kind: 'other' })
  // Encrypted hello, and the same with a number that nobody uses.
  expect(readClientHello(withExtension(hello, name, Buffer.from('fe0d000400000000', 'hex')))).toEqual({ kind: 'other' })
  expect(readClientHello(withExtension(hello, name, Buffer.from('fe0e000400000000', 'hex')))).toEqual({ kind: 'hello', name })
  const long = Buffer.from(hello)
  long.writeUInt16BE(60_000, at + 2)
  expect(readClientHello(long)).toEqual({ kind: 'other' })
})

test('whatever comes, it is one of the three and never throws', async () => {
  const random = seededRandom('client hello')
  const hello = await realHello('c.example.org')
  for (let round = 0; round < 5000; round++) {
    const bytes = Buffer.from(hello.subarray(0, random.between(0, 3) < 1 ? Math.floor(random.between(0, hello.length)) : hello.length))
    for (let change = 0; change < 3 && bytes.length > 0; change++)
      bytes[Math.floor(random.between(0, bytes.length))] = Math.floor(random.between(0, 256))
    expect(['more', 'other', 'hello']).toContain(readClientHello(bytes).kind)
  }
})
