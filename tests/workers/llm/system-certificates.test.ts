/** A company's own authority stands in the system's store; requests must trust it as the browser does. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url))
let server: Server
beforeAll(async () => {
  server = createServer({ key: readFileSync(fixture('server.key')), cert: readFileSync(fixture('server.pem')) }, (_request, response) =>
    response.end('over TLS'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

/** In a process of its own: OpenSSL reads where the system's store is once, at the start. */
function ask(environment: Record<string, string>): Promise<string> {
  const program = `
    import { createTransport } from '#workers/llm/adapters/transport.ts'
    const transport = createTransport()
    let text = ''
    const deadlines = { connectMs: 20000, firstByteMs: 20000, idleMs: 20000, totalMs: 60000, trailerMs: 5000 }
    const result = await transport.exchange({ url: new URL('https://localhost:${(server.address() as AddressInfo).port}/'), method: 'GET', headers: {}, deadlines, onHead: () => {}, onBytes: (bytes) => { text += Buffer.from(bytes) }, state: () => 'reading' })
    transport.close()
    console.log(result.kind === 'ended' ? text : result.code)
  `
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '-e', program],
      { cwd: fileURLToPath(new URL('../../../', import.meta.url)), env: { PATH: process.env['PATH'] ?? '', ...environment } },
      (error, stdout, stderr) => (error === null ? resolve(stdout.trim()) : reject(new Error(stderr))),
    )
  })
}

test('an authority in the system’s store is trusted', async () => {
  expect(await ask({ SSL_CERT_FILE: fixture('ca.pem') })).toBe('over TLS')
})

test('control: one that is not there is refused', async () => {
  expect(await ask({})).toMatch(/^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|SELF_SIGNED_CERT_IN_CHAIN)$/)
})
