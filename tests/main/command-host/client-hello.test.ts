/** The name a TLS client asks for, read from what real clients send and from what none would. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { readClientHello } from '#main/command-host/client-hello.ts'
import { seededRandom } from '#tests/helpers/random.ts'

/** What OpenSSL, as Node has it, sends first. */
async function realHello(servername: string | undefined): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    ...(servername === undefined ? {} : { servername }),
  })
  client.on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  client.destroy()
  server.close()
  return bytes
}

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

test('two names, or lengths that lead outside, are no hello', async () => {
  const hello = await realHello('b.example.org')
  const at = hello.indexOf('b.example.org') - 9
  const extension = hello.subarray(at, at + 9 + 'b.example.org'.length)
  const twice = Buffer.concat([hello.subarray(0, at), extension, hello.subarray(at)])
  twice.writeUInt16BE(twice.length - 5, 3)
  twice.writeUIntBE(twice.length - 9, 6, 3)
  const extensions = 5 + 4 + 2 + 32 + 1 + 32
  const lengthAt = extensions + 2 + twice.readUInt16BE(extensions) + 2
  twice.writeUInt16BE(twice.readUInt16BE(lengthAt) + extension.length, lengthAt)
  expect(readClientHello(twice)).toEqual({ kind: 'other' })
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
