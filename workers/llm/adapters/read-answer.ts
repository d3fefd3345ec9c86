/** One exchange read to its end: decides what kind of body it is and hands frames or a document to the reader. */
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import type { MetonaError, MetonaErrorCode } from '#contracts/metona/metona-response.ts'
import type { Frame, StreamEnd } from '../domain/frame.ts'
import { htmlExcerpt, looksLikeHtml, type FailureReport } from '../domain/map-error.ts'
import type { Deadlines } from './awake-timer.ts'
import { createFramer, FrameTooLarge, MAX_FRAME_LENGTH, type Framer } from './framing.ts'
import type { ResponseHead, Transport } from './transport.ts'

export interface AnswerReader {
  feed(frame: Frame): void
  document(body: unknown): void
  state(): 'reading' | 'finished' | 'over'
}

export interface ReadOptions {
  readonly transport: Transport
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly framing: 'sse' | 'ndjson'
  readonly stream: boolean
  readonly provider: string
  readonly model: string
  readonly deadlines: Deadlines
  readonly signal: AbortSignalLike | undefined
  readonly gate: (() => Promise<void> | undefined) | undefined
  readonly onSocketClosed: ((milliseconds: number) => void) | undefined
  /** Maps a refusal. */
  readonly fail: (report: Omit<FailureReport, 'provider'>) => MetonaError
  /** Last word on a connection that failed. */
  readonly refine: (error: MetonaError) => MetonaError
  readonly reader: AnswerReader
}

export type ReadResult = { readonly kind: 'ended'; readonly end: StreamEnd } | { readonly kind: 'failed'; readonly error: MetonaError }

/** Of a refusal's body; more is never needed to say what it was. */
const MAX_ERROR_BODY = 256 * 1024
/** Kept of a body that turned out to hold no frame, to name it. */
const EXCERPT = 4 * 1024

type Mode = 'unknown' | 'frames' | 'document' | 'html' | 'refusal'

export async function readAnswer(options: ReadOptions): Promise<ReadResult> {
  const { reader } = options
  let head: ResponseHead = { status: 0, headers: {} }
  // Set inside callbacks, so held where the compiler does not narrow it.
  const answer: { mode: Mode } = { mode: 'unknown' }
  let framer: Framer | undefined
  let frames = 0
  let broken: MetonaError | undefined
  let collected: Uint8Array[] = []
  let collectedBytes = 0

  const own = (code: MetonaErrorCode, message: string, retryable = true, providerCode?: string): MetonaError => ({
    code,
    message,
    provider: options.provider,
    retryable,
    ...(providerCode === undefined ? {} : { providerCode }),
  })
  const feed = (frame: Frame): void => {
    frames += 1
    if (broken !== undefined || reader.state() === 'over') return
    try {
      reader.feed(frame)
    } catch (thrown) {
      broken =
        thrown instanceof SyntaxError
          ? own('parse_error', `the stream holds invalid JSON: ${excerptOf(frame.data)}`)
          : own('invalid_response', `the stream has an unexpected shape (${thrown instanceof Error ? thrown.message : String(thrown)})`)
    }
  }
  /** A frame without its line end may be half; half a frame is a cut, which the missing finish shows. */
  const feedTail = (frame: Frame): void => {
    if (broken !== undefined || reader.state() === 'over') return
    try {
      reader.feed(frame)
      frames += 1
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) broken = own('invalid_response', String(thrown))
    }
  }
  const collect = (bytes: Uint8Array, limit: number): void => {
    if (collectedBytes >= limit) return
    collected.push(bytes)
    collectedBytes += bytes.length
  }

  const onBytes = (bytes: Uint8Array): void | Promise<void> => {
    if (answer.mode === 'unknown') answer.mode = sniff(bytes, collected, options)
    switch (answer.mode) {
      case 'unknown':
        return collect(bytes, EXCERPT)
      case 'refusal':
        return collect(bytes, MAX_ERROR_BODY)
      case 'html':
        return collect(bytes, EXCERPT)
      case 'document':
        if (collectedBytes > MAX_FRAME_LENGTH) broken ??= own('invalid_response', 'the answer is too large to be read whole', false)
        return collect(bytes, MAX_FRAME_LENGTH * 2)
      case 'frames': {
        try {
          if (framer === undefined) {
            framer = createFramer(options.framing, { onFrame: feed, onTail: feedTail })
            // What came before it was clear what this is.
            for (const earlier of collected) framer.push(earlier)
          }
          if (frames === 0) collect(bytes, EXCERPT)
          framer.push(bytes)
        } catch (thrown) {
          if (!(thrown instanceof FrameTooLarge)) throw thrown
          broken ??= own('invalid_response', thrown.message, false)
        }
        if (frames > 0 && collected.length > 0) collected = []
        return options.gate?.()
      }
    }
  }

  const result = await options.transport.exchange({
    url: options.url,
    method: options.method,
    headers: options.headers,
    body: options.body,
    deadlines: options.deadlines,
    signal: options.signal,
    onHead: (received) => {
      head = received
      if (received.status < 200 || received.status > 299) answer.mode = 'refusal'
    },
    onBytes,
    state: () =>
      broken !== undefined || (answer.mode === 'html' && collectedBytes >= EXCERPT)
        ? 'over'
        : answer.mode === 'frames'
          ? reader.state()
          : 'reading',
  })

  if (result.kind === 'aborted') {
    options.onSocketClosed?.(result.socketClosedMs)
    return { kind: 'failed', error: own('user_aborted', 'the request was stopped', false) }
  }
  const text = (): string => new TextDecoder().decode(Buffer.concat(collected))
  if (answer.mode === 'refusal') return { kind: 'failed', error: refusal(text()) }
  if (answer.mode === 'html')
    return {
      kind: 'failed',
      error: own('invalid_response', `expected an API answer but got a web page (HTML): ${htmlExcerpt(text())}`, true, 'HTML'),
    }
  if (broken === undefined) framer?.end()
  if (broken !== undefined) return { kind: 'failed', error: broken }
  if (result.kind === 'broken' && reader.state() === 'reading')
    return { kind: 'failed', error: options.refine(connectionError(result, own, frames > 0)) }
  const end: StreamEnd = result.kind === 'ended' ? { how: 'closed' } : { how: 'cut', reason: result.message }
  if (answer.mode === 'document' || (answer.mode === 'frames' && frames === 0)) {
    const whole = text().trim()
    if (whole !== '') return readDocument(whole, end)
  }
  return { kind: 'ended', end }

  function readDocument(whole: string, end: StreamEnd): ReadResult {
    let body: unknown
    try {
      body = JSON.parse(whole)
    } catch {
      // Comments alone are a stream that never began.
      if (
        answer.mode === 'frames' &&
        whole.split(/[\r\n]+/).every((line) => line === '' || line.startsWith(':') || /^(?:data|event|id|retry):?/.test(line))
      )
        return { kind: 'ended', end }
      // Half of a first line is a cut stream too.
      if (end.how === 'cut' || (answer.mode === 'frames' && options.framing === 'ndjson' && whole.startsWith('{')))
        return { kind: 'ended', end }
      const json = /^[{[]/.test(whole)
      return {
        kind: 'failed',
        error: own(
          json ? 'parse_error' : 'invalid_response',
          json ? `the answer is not valid JSON: ${excerptOf(whole)}` : `expected an API answer but got: ${excerptOf(whole)}`,
        ),
      }
    }
    try {
      reader.document(body)
    } catch (thrown) {
      return {
        kind: 'failed',
        error: own('invalid_response', `the answer has an unexpected shape (${thrown instanceof Error ? thrown.message : String(thrown)})`),
      }
    }
    return { kind: 'ended', end }
  }

  /** The header may lie: what parses is JSON. */
  function refusal(body: string): MetonaError {
    if (head.status >= 300 && head.status < 400) {
      return own(
        'unknown',
        `the provider's address redirects to ${head.headers['location'] ?? 'another one'} (${head.status}): correct the base URL`,
        false,
        'REDIRECT',
      )
    }
    let parsed: unknown = body
    try {
      parsed = JSON.parse(body)
    } catch {
      // Not JSON: a proxy's page or plain text, shown as text without its tags.
      if (looksLikeHtml(body)) parsed = `the server answered ${head.status} with a web page: ${htmlExcerpt(body)}`
    }
    return options.fail({ status: head.status, headers: head.headers, body: parsed, model: options.model })
  }
}

/** Decides by the first byte that is no white space: servers lie in `content-type`. */
function sniff(bytes: Uint8Array, before: readonly Uint8Array[], options: ReadOptions): Mode {
  const start = Buffer.concat([...before, bytes.subarray(0, 64)])
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  const first = start[0]
  if (first === undefined || start === '\xef' || start === '\xef\xbb') return 'unknown'
  if (first === '<') return 'html'
  if (options.framing === 'ndjson') return options.stream ? 'frames' : 'document'
  return /[deir:]/.test(first) ? 'frames' : 'document'
}

function connectionError(
  result: { readonly code: string; readonly message: string; readonly deadline?: string },
  own: (code: MetonaErrorCode, message: string, retryable?: boolean, providerCode?: string) => MetonaError,
  began: boolean,
): MetonaError {
  if (result.deadline !== undefined) return own('network_timeout', result.message, true, `DEADLINE_${result.deadline.toUpperCase()}`)
  if (result.code === 'DECOMPRESSION') return own('parse_error', result.message, true, result.code)
  if (result.code === 'ETIMEDOUT') return own('network_timeout', `the connection timed out (${result.message})`, true, result.code)
  return own(
    'network_error',
    began
      ? `the connection ended before the answer was complete (${result.message})`
      : `the provider could not be reached (${result.message})`,
    true,
    result.code,
  )
}

function excerptOf(text: string): string {
  const plain = looksLikeHtml(text) ? htmlExcerpt(text) : text
  return [...plain.slice(0, 400)].slice(0, 200).join('')
}
