/** Takes a command's output as it comes: live text for the screen, head and tail for the result, all of it in a file. */
import type { ToolLive } from '#contracts/tools/tool-live.ts'
import { cleanTerminalText, completeTextEnd } from '../domain/clean-terminal-text.ts'
import type { OutputFile } from '../files/output-store.ts'
import { redactStream, type RedactStream } from '#workers/shared/redact-stream.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import { LineDecoder } from './line-decoder.ts'

export interface CollectedOutput {
  /** Head, note, tail; cleaned. */
  readonly text: string
  readonly bytes: number
  /** Where the whole is, when it is more than `text`. */
  readonly path?: string
}

/** UTF-16 code units kept of the beginning and of the end. */
const HEAD_LIMIT = 10_000
const TAIL_LIMIT = 14_000
const LIVE_INTERVAL_MS = 80
/** More than this between two live messages is cut: nobody can read it. */
const LIVE_LIMIT = 8_000
/** A line without an end (a prompt, a progress bar) is shown after this long. */
const PARTIAL_MS = 250

export class OutputCollector {
  private readonly decoders = { stdout: new LineDecoder(), stderr: new LineDecoder() }
  private readonly clean: Record<'stdout' | 'stderr', RedactStream>
  private readonly live: (message: ToolLive) => void
  private readonly file: OutputFile
  private head = ''
  private tail = ''
  /** Code units after the head. */
  private totalTail = 0
  private pending = ''
  private dropped = 0
  private spilled = false
  private fileFull = false
  private timer: NodeJS.Timeout | undefined
  private lastChunkAt = 0
  private unread = ''
  private unreadDropped = 0
  bytes = 0

  /** Secrets are left out before anything is cut, or half of one could stay. */
  constructor(file: OutputFile, live: (message: ToolLive) => void, redactor: Redactor) {
    this.clean = { stdout: redactStream(redactor), stderr: redactStream(redactor) }
    this.file = file
    this.live = live
  }

  take(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.bytes += chunk.length
    this.lastChunkAt = performance.now()
    this.append(this.clean[stream].push(this.decoders[stream].write(chunk)))
    this.timer ??= setTimeout(() => this.flushLive(), LIVE_INTERVAL_MS)
  }

  /** Text since the previous call, bounded (the newest is kept); for command_output. */
  takeUnread(): string {
    const text = this.unreadDropped > 0 ? `[${this.unreadDropped} characters left out]\n${this.unread}` : this.unread
    this.unread = ''
    this.unreadDropped = 0
    return cleanTerminalText(text)
  }

  async finish(): Promise<CollectedOutput> {
    clearTimeout(this.timer)
    for (const stream of ['stdout', 'stderr'] as const)
      this.append(this.clean[stream].push(this.decoders[stream].end()) + this.clean[stream].flush())
    this.flushLive(true)
    if (!this.spilled) return { text: cleanTerminalText(this.head), bytes: this.bytes }
    let lost = ''
    try {
      await this.file.close()
      if (this.fileFull) lost = ' (only its beginning was kept there)'
    } catch (error) {
      lost = ` (which could not be written: ${error instanceof Error ? error.message : String(error)})`
    }
    const tail = this.tail.slice(-TAIL_LIMIT)
    const cutTail = tail.length < this.tail.length || this.totalTail > tail.length ? tail.slice(Math.max(0, tail.indexOf('\n') + 1)) : tail
    const omitted = this.totalTail - cutTail.length
    const note =
      omitted > 0
        ? `\n[… ${omitted} characters left out here; the whole output is in ${this.file.path}${lost}. Read parts of it with read_file and offset/limit. …]\n`
        : ''
    return {
      text: `${cleanTerminalText(this.head)}${note}${cleanTerminalText(cutTail)}`,
      bytes: this.bytes,
      ...(omitted > 0 ? { path: this.file.path } : {}),
    }
  }

  private append(text: string): void {
    if (text === '') return
    this.pending += text
    if (this.pending.length > 2 * LIVE_LIMIT) {
      this.dropped += this.pending.length - LIVE_LIMIT
      this.pending = this.pending.slice(-LIVE_LIMIT)
    }
    this.unread += text
    if (this.unread.length > 2 * TAIL_LIMIT) {
      this.unreadDropped += this.unread.length - TAIL_LIMIT
      this.unread = this.unread.slice(-TAIL_LIMIT)
    }
    let rest = text
    if (!this.spilled) {
      if (this.head.length + text.length <= HEAD_LIMIT + TAIL_LIMIT) {
        this.head += text
        return
      }
      this.spilled = true
      const all = this.head + text
      this.fileFull = !this.file.append(all)
      const cut = all.lastIndexOf('\n', HEAD_LIMIT)
      const at = cut > HEAD_LIMIT - 2000 ? cut + 1 : HEAD_LIMIT
      this.head = all.slice(0, at)
      rest = all.slice(at)
    } else if (!this.fileFull) this.fileFull = !this.file.append(text)
    this.totalTail += rest.length
    this.tail += rest
    if (this.tail.length > 4 * TAIL_LIMIT) this.tail = this.tail.slice(-TAIL_LIMIT)
  }

  private flushLive(last = false): void {
    this.timer = undefined
    if (!last && this.pending === '' && performance.now() - this.lastChunkAt >= PARTIAL_MS) {
      for (const stream of ['stdout', 'stderr'] as const) this.append(this.clean[stream].push(this.decoders[stream].flushPartial()))
    }
    const end = last ? this.pending.length : completeTextEnd(this.pending)
    const shown = this.pending.slice(0, end)
    this.pending = this.pending.slice(end)
    const bounded = shown.length > LIVE_LIMIT ? shown.slice(-LIVE_LIMIT) : shown
    const dropped = this.dropped + shown.length - bounded.length
    this.dropped = 0
    const text = cleanTerminalText(bounded)
    if (text !== '' || dropped > 0) this.live(dropped > 0 ? { output: text, dropped } : { output: text })
    // Partial lines are looked at again until there is nothing left of them.
    if (!last && performance.now() - this.lastChunkAt < PARTIAL_MS + LIVE_INTERVAL_MS)
      this.timer = setTimeout(() => this.flushLive(), LIVE_INTERVAL_MS)
  }
}
