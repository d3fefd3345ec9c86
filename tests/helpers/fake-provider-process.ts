/**
 * The fake provider: a process of its own that speaks the Chat Completions wire, or any bytes it is told.
 * Scripted and read over HTTP under `/__control/`, so that any process of a test can use it.
 * Run alone it prints its base URL as the first line.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  monotonicNow,
  type FakeAnswer,
  type FakeChatAnswer,
  type FakeFault,
  type FakeRawAnswer,
  type FakeRequest,
  type FakeRule,
} from './fake-provider-types.ts'
import { chatDocument, chatPieces } from './fake-provider-wire.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type LogEntry = Mutable<FakeRequest>

interface Scripted {
  readonly rule: FakeRule
  used: number
}

let rules: Scripted[] = []
let requests: LogEntry[] = []
let waiters: { readonly until: () => boolean; readonly done: () => void }[] = []
let nextId = 1

const pause = (milliseconds: number): Promise<void> =>
  milliseconds > 0 ? new Promise((resolve) => setTimeout(resolve, milliseconds)) : Promise.resolve()

function changed(): void {
  const ready = waiters.filter((waiter) => waiter.until())
  waiters = waiters.filter((waiter) => !ready.includes(waiter))
  for (const waiter of ready) waiter.done()
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const server = createServer((request, response) => {
  void (request.url?.startsWith('/__control/') ? control(request, response) : serve(request, response)).catch((error: unknown) => {
    process.stderr.write(`fake provider: ${String(error)}\n`)
    response.destroy()
  })
})
server.keepAliveTimeout = 60_000

async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://fake')
  const reply = (value: unknown): void => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }
  switch (url.pathname) {
    case '/__control/script': {
      const added = JSON.parse(await readBody(request)) as FakeRule[]
      rules = [...added.map((rule) => ({ rule, used: 0 })), ...rules]
      return reply({})
    }
    case '/__control/reset':
      rules = []
      requests = []
      return reply({})
    case '/__control/requests':
      return reply(requests)
    case '/__control/wait': {
      // Long poll: answers when `count` requests have reached `state`.
      const count = Number(url.searchParams.get('count'))
      const reached: Record<string, (entry: LogEntry) => boolean> = {
        arrived: () => true,
        streaming: (entry) => entry.tokensSent > 0,
        finished: (entry) => entry.finished,
        closed: (entry) => entry.closedByClientAt !== undefined,
      }
      const test = reached[url.searchParams.get('state') ?? 'arrived']
      if (test === undefined) return reply({ error: 'unknown state' })
      const until = (): boolean => requests.filter(test).length >= count
      if (!until()) await new Promise<void>((done) => waiters.push({ until, done }))
      return reply(requests)
    }
    default:
      response.statusCode = 404
      return reply({ error: 'unknown control path' })
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedAt = monotonicNow()
  const text = await readBody(request)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const entry: LogEntry = {
    id: nextId++,
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    body: parseOrText(text),
    remotePort: request.socket.remotePort ?? 0,
    arrivedAt,
    bytesSent: 0,
    tokensSent: 0,
    finished: false,
  }
  requests.push(entry)
  response.on('close', () => {
    if (!entry.finished && !response.writableFinished && entry.closedByClientAt === undefined) entry.closedByClientAt = monotonicNow()
    changed()
  })
  changed()
  const answer = choose(entry, text)
  if (answer.kind === 'status') return sendStatus(answer, entry, response)
  if (answer.kind === 'raw') return sendRaw(answer, entry, response)
  return sendChat(answer, entry, response, text)
}

function choose(entry: LogEntry, text: string): FakeAnswer {
  const matching = rules.filter(
    ({ rule }) =>
      (rule.marker === undefined || text.includes(rule.marker)) &&
      (rule.path === undefined || entry.path.includes(rule.path)) &&
      (rule.marker !== undefined || rule.path !== undefined || entry.method !== 'GET'),
  )
  // A rule that has no answer left lets older ones answer; when none has any, the test is told loudly.
  const found = matching.find(({ rule, used }) => rule.repeatLast === true || used < rule.answers.length) ?? matching[0]
  if (found === undefined) return defaultAnswer(entry)
  if (found.rule.marker !== undefined) entry.marker = found.rule.marker
  const index = found.rule.repeatLast === true ? Math.min(found.used, found.rule.answers.length - 1) : found.used
  found.used += 1
  return (
    found.rule.answers[index] ?? {
      kind: 'status',
      status: 500,
      body: { error: { message: `script exhausted for ${found.rule.marker ?? 'requests'}`, type: 'fake' } },
    }
  )
}

function defaultAnswer(entry: LogEntry): FakeAnswer {
  if (entry.method !== 'GET') return { text: 'ok' }
  if (entry.path.endsWith('/models'))
    return {
      kind: 'status',
      status: 200,
      body: { object: 'list', data: ['deepseek-flash', 'deepseek-v4-pro'].map((id) => ({ id, object: 'model', owned_by: 'deepseek' })) },
    }
  if (entry.path.endsWith('/user/balance'))
    return {
      kind: 'status',
      status: 200,
      body: {
        is_available: true,
        balance_infos: [{ currency: 'CNY', total_balance: '110.00', granted_balance: '10.00', topped_up_balance: '100.00' }],
      },
    }
  return { kind: 'status', status: 404, body: { error: { message: `no such path ${entry.path}`, type: 'fake' } } }
}

async function sendStatus(answer: Extract<FakeAnswer, { kind: 'status' }>, entry: LogEntry, response: ServerResponse): Promise<void> {
  await pause(answer.delayMs ?? 0)
  const object = typeof answer.body !== 'string'
  const body = Buffer.from(object ? JSON.stringify(answer.body ?? {}) : (answer.body as string))
  response.writeHead(answer.status, { 'content-type': object ? 'application/json' : 'text/plain', ...answer.headers })
  entry.status = answer.status
  await writeAll(entry, response, body, {})
  finish(entry, response)
}

async function sendRaw(answer: FakeRawAnswer, entry: LogEntry, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers })
  entry.status = answer.status ?? 200
  response.flushHeaders()
  for (const chunk of answer.chunks) {
    await pause(chunk.delayMs ?? 0)
    const bytes = chunk.base64 === undefined ? Buffer.from(chunk.text ?? '') : Buffer.from(chunk.base64, 'base64')
    entry.tokensSent += 1
    entry.firstTokenAt ??= monotonicNow()
    entry.lastTokenAt = monotonicNow()
    if (!(await writeAll(entry, response, bytes, answer))) return
  }
  if (answer.finish === 'hang') return
  if (answer.finish === 'reset') {
    // Let the bytes leave before the socket goes.
    await new Promise((resolve) => setImmediate(resolve))
    return cut(entry, response, 'reset')
  }
  finish(entry, response)
}

async function sendChat(answer: FakeChatAnswer, entry: LogEntry, response: ServerResponse, text: string): Promise<void> {
  const body = (typeof entry.body === 'object' && entry.body !== null ? entry.body : {}) as { model?: string; stream?: boolean }
  const model = body.model ?? 'fake-model'
  const promptTokens = Math.ceil(text.length / 4)
  await pause(answer.firstByteDelayMs ?? 0)
  if (response.destroyed) return
  entry.status = 200
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' })
    if (await writeAll(entry, response, Buffer.from(chatDocument(answer, model, promptTokens)), answer)) finish(entry, response)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.flushHeaders()
  for (let index = 0; index < (answer.keepAlive?.count ?? 0); index += 1) {
    await pause(answer.keepAlive?.everyMs ?? 0)
    if (!(await writeAll(entry, response, Buffer.from(`: ${answer.keepAlive?.text ?? 'keep-alive'}\n\n`), answer))) return
  }
  const rate = answer.tokensPerSecond
  const started = monotonicNow()
  let pending: Buffer[] = []
  let pendingTokens = 0
  let pendingBytes = 0
  const flush = async (): Promise<boolean> => {
    if (pending.length === 0) return true
    const bytes = Buffer.concat(pending)
    if (pendingTokens > 0) {
      entry.firstTokenAt ??= monotonicNow()
      entry.lastTokenAt = monotonicNow()
      entry.tokensSent += pendingTokens
    }
    pending = []
    pendingTokens = 0
    pendingBytes = 0
    return writeAll(entry, response, bytes, answer)
  }
  for (const piece of chatPieces(answer, model, promptTokens)) {
    // Token n is due at start + n / rate: no drift, whatever a timer does.
    const wait = rate === undefined ? 0 : started + ((entry.tokensSent + pendingTokens + piece.tokens) * 1000) / rate - monotonicNow()
    if (wait > 0 && piece.tokens > 0) {
      if (!(await flush())) return
      await pause(wait)
    }
    pending.push(piece.bytes)
    pendingTokens += piece.tokens
    pendingBytes += piece.bytes.length
    if (pendingBytes > 16_384 && !(await flush())) return
  }
  if (await flush()) finish(entry, response)
}

/** Writes with backpressure and the scripted faults. @returns false when the answer ended here. */
async function writeAll(entry: LogEntry, response: ServerResponse, bytes: Buffer, fault: FakeFault): Promise<boolean> {
  if (response.destroyed) return false
  const stop = Math.min(fault.cutAtByte ?? Infinity, fault.stallAtByte ?? Infinity)
  const part = entry.bytesSent + bytes.length > stop ? bytes.subarray(0, stop - entry.bytesSent) : bytes
  if (part.length > 0) {
    entry.firstByteAt ??= monotonicNow()
    const drained = response.write(part)
    entry.bytesSent += part.length
    entry.lastByteAt = monotonicNow()
    changed()
    if (!drained && !response.destroyed) await drainedOrClosed(response)
  }
  if (entry.bytesSent < stop) return !response.destroyed
  if (fault.cutAtByte === undefined || fault.cutAtByte > entry.bytesSent) return false
  // Let the bytes leave before the socket goes.
  await new Promise((resolve) => setImmediate(resolve))
  cut(entry, response, fault.cutHow ?? 'reset')
  return false
}

function drainedOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

function cut(entry: LogEntry, response: ServerResponse, how: 'reset' | 'end'): void {
  entry.finished = true
  if (how === 'end') response.end()
  else response.destroy()
  changed()
}

function finish(entry: LogEntry, response: ServerResponse): void {
  if (response.destroyed) return
  entry.finished = true
  response.end(changed)
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  if (process.send !== undefined) process.send({ port })
  else process.stdout.write(`http://127.0.0.1:${port}\n`)
})
// The process never outlives the test that started it.
process.on('disconnect', () => process.exit(0))
