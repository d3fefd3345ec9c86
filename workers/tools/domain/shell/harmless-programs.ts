/**
 * Programs that only look, with the options under which that is true. Whatever is not listed here is
 * for a person to judge. Left out on purpose: everything that reads folders as a whole (it would show
 * files that hold secrets), follows links, takes patterns or programs from files, writes, or waits.
 */

interface ProgramRules {
  /** Letters of short options without a value; they may be joined. */
  readonly letters?: string
  /** Short options with a value, joined (`-n5`) or as the next word. */
  readonly values?: string
  /** Long options, as a pattern over the whole word. */
  readonly long?: RegExp
  /** What the words that are no options are. `pattern` is one text before the paths. */
  readonly operands: 'none' | 'text' | 'paths' | 'pattern'
  readonly most?: number
  /** A last say over the whole argument list. */
  readonly check?: (operands: readonly string[], argv: readonly string[]) => boolean
}

const FIND_TESTS = new Set(['-name', '-iname', '-path', '-ipath', '-type', '-maxdepth', '-mindepth', '-size', '-mtime', '-mmin'])
const FIND_ALONE = new Set(['-empty', '-not', '-o', '-a', '-print', '-prune'])

const PROGRAMS: Readonly<Record<string, ProgramRules>> = {
  ls: {
    letters: 'aAlhtrSR1dFpisnogkqQUvxXcC',
    long: /^--(all|almost-all|human-readable|reverse|recursive|size|directory|full-time|color=never)$/,
    operands: 'paths',
  },
  cat: { letters: 'nbsEATvet', operands: 'paths' },
  head: { letters: 'qv', values: 'nc', long: /^-\d+$|^--(lines|bytes)=\d+$/, operands: 'paths' },
  tail: { letters: 'qv', values: 'nc', long: /^-\d+$|^--(lines|bytes)=\+?\d+$/, operands: 'paths' },
  wc: { letters: 'lwcmL', operands: 'paths' },
  nl: { letters: '', values: 'bwsv', operands: 'paths' },
  grep: {
    letters: 'niwxcvlLhHoEFqsab',
    values: 'eABCm',
    long: /^--(color=never|line-number|ignore-case|word-regexp|count|fixed-strings|extended-regexp|invert-match|only-matching)$/,
    operands: 'pattern',
  },
  cut: { letters: 's', values: 'dfcb', operands: 'paths' },
  sort: { letters: 'nrufbdgMhVscm', values: 'kt', operands: 'paths' },
  uniq: { letters: 'cdui', values: 'fsw', operands: 'paths', most: 1 },
  tr: { letters: 'cds', operands: 'text' },
  rev: { operands: 'paths' },
  diff: { letters: 'uqbwBiEy', values: 'U', operands: 'paths', most: 2 },
  cmp: { letters: 'bls', operands: 'paths', most: 2 },
  stat: { letters: 't', values: 'c', operands: 'paths' },
  file: { letters: 'bi', operands: 'paths' },
  du: { letters: 'hsackmx', values: 'd', operands: 'paths' },
  df: { letters: 'hTik', operands: 'none' },
  sha256sum: { letters: 'bt', operands: 'paths' },
  sha1sum: { letters: 'bt', operands: 'paths' },
  md5sum: { letters: 'bt', operands: 'paths' },
  basename: { operands: 'text' },
  dirname: { operands: 'text' },
  which: { letters: 'a', operands: 'text' },
  pwd: { letters: 'LP', operands: 'none' },
  echo: { letters: 'neE', operands: 'text' },
  true: { operands: 'none' },
  false: { operands: 'none' },
  uname: { letters: 'asnrvmpio', operands: 'none' },
  date: { letters: 'u', operands: 'text', check: (operands) => operands.every((operand) => operand.startsWith('+')) },
  whoami: { operands: 'none' },
  cd: { operands: 'paths', most: 1, check: (operands) => operands.length === 1 && operands[0] !== '-' },
  sed: {
    letters: 'n',
    operands: 'pattern',
    check: (operands, argv) => argv.includes('-n') && /^\d+(,(\d+|\$))?p$/.test(operands[0] ?? ''),
  },
  // Only names are printed; every word after the folders is a test or its value.
  find: { operands: 'paths' },
}

/** Programs that tell their version, and the words that make them do only that. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  node: ['--version', '-v'],
  npm: ['--version', '-v'],
  pnpm: ['--version'],
  yarn: ['--version'],
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
  git: ['--version'],
  cargo: ['--version'],
  rustc: ['--version'],
  go: ['version'],
  java: ['--version'],
  gcc: ['--version'],
  make: ['--version'],
}

export type Verdict =
  | {
      readonly harmless: true
      /** Paths it looks at; the caller makes sure that they are inside. */ readonly paths: readonly string[]
      /** Where later commands look from. */ readonly changesFolder?: string
    }
  | { readonly harmless: false }

export function judgeProgram(argv: readonly string[]): Verdict {
  const [program, ...words] = argv as [string, ...string[]]
  if (words.length === 1 && Object.hasOwn(VERSIONS, program) && VERSIONS[program]?.includes(words[0] as string) === true)
    return { harmless: true, paths: [] }
  if (!Object.hasOwn(PROGRAMS, program)) return { harmless: false }
  const rules = PROGRAMS[program] as ProgramRules
  const operands = program === 'find' ? findOperands(words) : readOperands(words, rules)
  if (operands === undefined || (rules.most !== undefined && operands.length > rules.most) || rules.check?.(operands, argv) === false)
    return { harmless: false }
  if (rules.operands === 'none') return operands.length === 0 ? { harmless: true, paths: [] } : { harmless: false }
  if (rules.operands === 'text') return { harmless: true, paths: [] }
  const paths = rules.operands === 'pattern' && !hasExplicitPattern(words) ? operands.slice(1) : operands
  return { harmless: true, paths, ...(program === 'cd' ? { changesFolder: paths[0] as string } : {}) }
}

/** The words that are no options, or nothing when an option is not on the list. */
function readOperands(words: readonly string[], rules: ProgramRules): string[] | undefined {
  const operands: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string
    if (word === '--') return [...operands, ...words.slice(index + 1)]
    if (word === '-' || !word.startsWith('-')) {
      operands.push(word)
      continue
    }
    if (rules.long?.test(word) === true) continue
    if (word.startsWith('--')) return undefined
    const letters = word.slice(1)
    const valueAt = [...letters].findIndex((letter) => rules.values?.includes(letter) === true)
    const alone = valueAt < 0 ? letters : letters.slice(0, valueAt)
    if (![...alone].every((letter) => rules.letters?.includes(letter) === true)) return undefined
    // The value is the rest of the word, or the next word.
    if (valueAt >= 0 && valueAt === letters.length - 1) index++
  }
  return operands
}

function hasExplicitPattern(words: readonly string[]): boolean {
  return words.some((word) => /^-[a-zA-Z]*e/.test(word) && !word.startsWith('--'))
}

function findOperands(words: readonly string[]): string[] | undefined {
  const paths: string[] = []
  let index = 0
  while (index < words.length && !(words[index] as string).startsWith('-')) paths.push(words[index++] as string)
  while (index < words.length) {
    const word = words[index++] as string
    if (FIND_ALONE.has(word)) continue
    if (!FIND_TESTS.has(word) || index >= words.length) return undefined
    index++
  }
  return paths
}
