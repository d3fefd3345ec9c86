/** Scripted histories from a seed. Shares no code with the context worker. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'

/** A small repeatable generator (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const ENGLISH =
  'the parser reads each line and keeps a list of offsets so that errors can name the column when a value is missing or has the wrong type'.split(
    ' ',
  )
const CHINESE = '读取配置文件之后先检查字段是否齐全再把结果写回磁盘如果失败就保留旧的内容并提示用户原因'.split('')
const CODE = [
  'const total = rows.reduce((sum, row) => sum + row.amount, 0)',
  'if (value === undefined) return fallback',
  'export function parse(line: string): Record<string, number> {',
  '  for (const [key, entry] of Object.entries(table)) {',
  '}',
]

export class HistoryMaker {
  readonly messages: MetonaMessage[] = []
  readonly #random: () => number
  #ids = 0
  #time = Date.UTC(2026, 5, 25, 2)

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** About `characters` of mixed English, Chinese and code. */
  text(characters: number): string {
    let text = ''
    while (text.length < characters) {
      const kind = this.below(3)
      if (kind === 0) text += `${Array.from({ length: 12 }, () => ENGLISH[this.below(ENGLISH.length)]).join(' ')}. `
      else if (kind === 1) text += `${Array.from({ length: 24 }, () => CHINESE[this.below(CHINESE.length)]).join('')}。`
      else text += `\n${CODE[this.below(CODE.length)] ?? ''} // ${this.below(100_000)}\n`
    }
    return text.slice(0, characters)
  }

  user(content: string): MetonaMessage {
    return this.#push({ role: 'user', content })
  }

  assistant(content: string): MetonaMessage {
    return this.#push({ role: 'assistant', content })
  }

  /** An assistant message with calls, and their results. */
  toolStep(resultCharacters: readonly number[], tool = 'read_file'): MetonaMessage[] {
    const calls = resultCharacters.map(() => ({
      id: this.#id('tc'),
      name: tool,
      args: { file_path: `src/file-${this.below(60)}.ts` },
      iteration: 1,
      timestamp: this.#time,
    }))
    const made = [this.#push({ role: 'assistant', content: this.below(2) === 0 ? '' : this.text(80), toolCalls: calls })]
    for (const [index, call] of calls.entries()) {
      const text = this.text(resultCharacters[index] ?? 0)
      made.push(
        this.#push({
          role: 'tool',
          content: '',
          toolResult: { toolCallId: call.id, toolName: tool, result: text, success: true, durationMs: 3, timestamp: this.#time },
        }),
      )
    }
    return made
  }

  #push(message: Omit<MetonaMessage, 'timestamp' | 'id'>): MetonaMessage {
    this.#time += 1_000
    const whole: MetonaMessage = { ...message, timestamp: this.#time, id: this.#id('m') }
    this.messages.push(whole)
    return whole
  }

  #id(prefix: string): string {
    return `${prefix}_${(++this.#ids).toString(36).padStart(10, '0')}`
  }
}
