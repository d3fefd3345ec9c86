/** The recordings once more through a real server, real sockets and the real transport, split at random and compressed. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { createTransport } from '#workers/llm/adapters/transport.ts'
import { adapterOn, bytes, decode, requestFor, run } from './adapter-harness.ts'
import { answerFrom, bodyOf, cuts, entryOf, pieces, raw } from './recording-files.ts'
import { errorRecordings, streamRecordings } from './recording-expectations.ts'

const transport = createTransport()
let server: FakeProvider
beforeAll(async () => {
  server = await startFakeProvider()
})
afterAll(async () => {
  transport.close()
  await server.stop()
})

const chunksOf = (body: Uint8Array, seed: number): { base64: string }[] =>
  pieces(body, cuts(body.length, seed)).map((piece) => ({ base64: Buffer.from(piece).toString('base64') }))
const paths: Record<string, string> = { ollama: '/api/chat', openai: '/responses', anthropic: '/messages' }

async function overHttp(
  provider: string,
  request: ReturnType<typeof requestFor>,
  answer: { status: number; headers: Record<string, string>; body: Uint8Array },
): ReturnType<typeof run> {
  await server.reset()
  await server.script([
    {
      path: paths[provider] ?? '/chat/completions',
      answers: [{ kind: 'raw', status: answer.status, headers: answer.headers, chunks: chunksOf(answer.body, 7) }],
    },
  ])
  return run(await adapterOn(provider, transport, { baseUrl: server.baseUrl }), request)
}

describe.each(streamRecordings)('$file', (expected) => {
  const entry = entryOf(expected.file)
  const request = requestFor(expected.model, { params: { stream: entry.transport !== 'json' } })
  const body = bytes(bodyOf(expected.file))

  test('gives the same over a socket, plain and compressed', async () => {
    const whole = await decode(expected.provider, answerFrom(expected.file, [body]), request)
    const headers = entry.content_type === null ? {} : { 'content-type': entry.content_type }
    expect(await overHttp(expected.provider, request, { status: 200, headers, body })).toEqual(whole)
    expect(
      await overHttp(expected.provider, request, {
        status: 200,
        headers: { ...headers, 'content-encoding': 'gzip' },
        body: gzipSync(body),
      }),
    ).toEqual(whole)
  })
})

test.each(errorRecordings)('$file over a socket', async ({ file, provider, code }) => {
  const { response } = await overHttp(provider, requestFor('nonexistent-model:latest'), {
    status: entryOf(file).http_status,
    headers: { 'content-type': entryOf(file).content_type ?? 'application/json' },
    body: bytes(raw(file)),
  })
  expect(response.error?.code).toBe(code)
})
