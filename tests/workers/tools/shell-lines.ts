/** Generated command lines, some plain and many odd, out of these programs. The same seed gives the same lines. */
export const PROGRAMS: readonly string[] = ['ls', 'cat', 'grep', 'id', 'rm', 'sh', 'git', 'npm', 'evil', 'l', 's', 'a']

const WORDS = ['x', '-la', '"q r"', "'s t'", 'a"b"c', "''", '数据.csv', 'src/a.ts', 'k=v', '2', '-', '--', '@x', 'a,b', '%x', '^y', '+z']
const ODD = [
  '$(evil)',
  '`evil`',
  '$X',
  '${X}',
  '>out',
  '<in',
  '2>&1',
  '>/dev/null',
  '*',
  '~',
  '{a,evil}',
  '\\',
  '#c',
  '!',
  '<(evil)',
  "$'\\x3bevil'",
  '"$(evil)"',
  '"`evil`"',
  '\\;evil',
  '=evil',
  '[a]',
  '>&2',
  '2>/dev/null',
  '&>x',
  '"\\$"',
  '1>&2',
]
const JOINS = [' && ', ' || ', ' | ', '; ', '\n', ';\n', ' &&\n']
const ODD_JOINS = [' & ', '&', '|&', ' ;; ', '\r\n', ' <<E\nevil\nE\n', '\\\n', ' ( ', ' ) ', '||||', '&&&', ' # ', ';|']
const STARTS = ['', '', '', '', '', 'X=1 ', '! ', 'time ', 'if ', '{ ', '"l"', 'l""', '\\']

export function shellLines(firstSeed: number): () => string {
  let seed = firstSeed
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  return () => {
    const parts = 1 + Math.floor(random() * 3)
    const risk = random() < 0.3 ? 0 : 0.2
    let line = ''
    for (let part = 0; part < parts; part++) {
      if (part > 0) line += random() < risk ? pick(ODD_JOINS) : pick(JOINS)
      line += (random() < risk ? pick(STARTS) : '') + pick(PROGRAMS)
      const words = Math.floor(random() * 4)
      for (let word = 0; word < words; word++) line += (random() < 0.9 ? ' ' : '') + (random() < risk ? pick(ODD) : pick(WORDS))
    }
    return line
  }
}
