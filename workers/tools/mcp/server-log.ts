/** The last lines of one server: what it wrote to stderr, what it logged over the protocol, what happened to it. */
import type { McpLogLine } from '#contracts/tools/mcp-server.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import { cleanTerminalText } from '../domain/clean-terminal-text.ts'

const LINES = 1_000
const LINE_LENGTH = 1_000
const PAGE = 500

export class ServerLog {
  readonly #lines: McpLogLine[] = []
  readonly #redactor: () => Redactor
  #next = 1
  #rest = ''

  constructor(redactor: () => Redactor) {
    this.#redactor = redactor
  }

  add(source: McpLogLine['source'], text: string): void {
    for (const line of text.split('\n')) {
      // The end of a program's line end; what else hides in a line is taken out.
      const clean = cleanTerminalText(line.slice(0, LINE_LENGTH))
      this.#lines.push({ number: this.#next++, at: Date.now(), source, text: this.#redactor().text(clean) })
    }
    if (this.#lines.length > LINES) this.#lines.splice(0, this.#lines.length - LINES)
  }

  /** Bytes of stderr as they come; a line is kept once it is complete. */
  stderr(bytes: Buffer): void {
    const lines = (this.#rest + bytes.toString('utf8')).split('\n')
    this.#rest = (lines.pop() ?? '').slice(0, LINE_LENGTH)
    // A flood is looked at only where it ends: nobody reads the rest.
    for (const line of lines.slice(-LINES)) this.add('stderr', line)
  }

  endOfStderr(): void {
    if (this.#rest !== '') this.add('stderr', this.#rest)
    this.#rest = ''
  }

  after(number: number): McpLogLine[] {
    return this.#lines.filter((line) => line.number > number).slice(0, PAGE)
  }

  /** The end of stderr, for the reason of a failure. */
  lastStderr(): string {
    return this.#lines
      .filter((line) => line.source === 'stderr')
      .slice(-8)
      .map((line) => line.text)
      .join('\n')
  }
}
