/** The command line as data. Small and exact: no guessing, no abbreviations, one value per option. */

export type OptionKind = 'flag' | 'text' | 'integer' | 'port' | 'seconds' | readonly string[]

export interface OptionSpec {
  readonly kind: OptionKind
  readonly short?: string
}

export type OptionTable = Readonly<Record<string, OptionSpec>>

export interface ParsedArguments {
  readonly flags: ReadonlySet<string>
  readonly values: Readonly<Record<string, string>>
  readonly numbers: Readonly<Record<string, number>>
  /** What is no option, in order; `-` is one of them. */
  readonly words: readonly string[]
}

/** A wrong command line: the sentence is chosen by `code` and `params`, the exit code is 2. */
export class UsageError extends Error {
  readonly code: string
  readonly params: Readonly<Record<string, string>>

  constructor(code: string, params: Readonly<Record<string, string>> = {}) {
    super(`${code} ${JSON.stringify(params)}`)
    this.name = 'UsageError'
    this.code = code
    this.params = params
  }
}

/** Options may stand anywhere; `--` makes all that follows words. @throws UsageError */
export function parseArguments(argv: readonly string[], table: OptionTable): ParsedArguments {
  const flags = new Set<string>()
  const values: Record<string, string> = {}
  const numbers: Record<string, number> = {}
  const words: string[] = []
  const byShort = new Map(Object.entries(table).flatMap(([name, spec]) => (spec.short === undefined ? [] : [[spec.short, name] as const])))

  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] as string
    if (argument === '--') {
      words.push(...argv.slice(index + 1))
      break
    }
    if (argument === '-' || !argument.startsWith('-')) {
      words.push(argument)
      continue
    }
    const { name, attached } = split(argument, byShort)
    const spec = Object.hasOwn(table, name) ? table[name] : undefined
    if (spec === undefined)
      throw new UsageError('UNKNOWN_OPTION', { option: argument.split('=', 1)[0] as string, known: nearest(name, Object.keys(table)) })
    if (spec.kind === 'flag') {
      if (attached !== undefined) throw new UsageError('NO_VALUE_TAKEN', { option: `--${name}` })
      flags.add(name)
      continue
    }
    const value = attached ?? argv[++index]
    if (value === undefined) throw new UsageError('VALUE_MISSING', { option: `--${name}` })
    if (Object.hasOwn(values, name)) throw new UsageError('GIVEN_TWICE', { option: `--${name}` })
    values[name] = value
    if (typeof spec.kind !== 'string') {
      if (!spec.kind.includes(value)) throw new UsageError('BAD_CHOICE', { option: `--${name}`, value, choices: spec.kind.join(', ') })
    } else if (spec.kind !== 'text') numbers[name] = toNumber(name, value, spec.kind)
  }
  return { flags, values, numbers, words }
}

function split(argument: string, byShort: ReadonlyMap<string, string>): { name: string; attached: string | undefined } {
  if (argument.startsWith('--')) {
    const equals = argument.indexOf('=')
    return equals < 0
      ? { name: argument.slice(2), attached: undefined }
      : { name: argument.slice(2, equals), attached: argument.slice(equals + 1) }
  }
  const name = byShort.get(argument[1] as string)
  const rest = argument.slice(2)
  return {
    name: name ?? argument.slice(1),
    attached: name === undefined || rest === '' ? undefined : rest.startsWith('=') ? rest.slice(1) : rest,
  }
}

const NUMBERS = {
  integer: { code: 'NOT_AN_INTEGER', fits: (text: string, number: number) => /^\d+$/.test(text) && Number.isSafeInteger(number) },
  port: { code: 'NOT_A_PORT', fits: (text: string, number: number) => /^\d+$/.test(text) && number < 65_536 },
  seconds: { code: 'NOT_SECONDS', fits: (text: string, number: number) => /^\d+(\.\d+)?$/.test(text) && number > 0 && number < 1e7 },
} as const

function toNumber(name: string, value: string, kind: keyof typeof NUMBERS): number {
  const number = Number(value)
  const { code, fits } = NUMBERS[kind]
  if (!fits(value, number)) throw new UsageError(code, { option: `--${name}`, value })
  return number
}

/** The known name that is at most two edits away, or an empty string. */
export function nearest(word: string, known: readonly string[]): string {
  const scored = known
    .map((name) => ({ name, distance: editDistance(word, name) }))
    .toSorted((left, right) => left.distance - right.distance)
  const best = scored[0]
  return best !== undefined && best.distance <= 2 && best.distance < word.length ? best.name : ''
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const substitution = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[right.length] as number
}
