/** Texts of many kinds from installed packages and from a seed, for comparing counters. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from './make-history.ts'

const MODULES = join(import.meta.dirname, '../../../node_modules')
/** Literal control tokens are split off by reference tokenizers; what a provider does with them is not known. */
const CONTROL_TOKEN = /<[|｜]|<\/?(think|tool)/

export interface TextSample {
  readonly kind: string
  readonly text: string
}

/** @returns `count` samples of up to `characters` each, the same for the same seed, the kinds in turn. */
export function textSamples(count: number, seed: number, characters = 1_500): TextSample[] {
  const random = seeded(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const files: [string, string][] = [
    ['english', 'zod/README.md'],
    ['english', 'vite/README.md'],
    ['english', 'piscina/README.md'],
    ['code', 'typescript/lib/lib.dom.d.ts'],
    ['code', 'comlink/dist/esm/comlink.js'],
    ['json', 'vite/package.json'],
    ...['zh-cn', 'zh-tw', 'ja', 'ko', 'ru', 'de', 'tr'].map((language): [string, string] => [
      language,
      `typescript/lib/${language}/diagnosticMessages.generated.json`,
    ]),
  ]
  const texts = files.map(([kind, path]): [string, string] => [kind, readFileSync(join(MODULES, path), 'utf8')])
  const repeat = (make: () => string): string => Array.from({ length: characters }, make).join('').slice(0, characters)
  const pick = (alphabet: readonly string[]): string => alphabet[below(alphabet.length)] ?? ''
  const stress: [string, () => string][] = [
    ['base64', () => repeat(() => pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/']))],
    ['hex', () => repeat(() => pick([...'0123456789abcdef']))],
    ['emoji', () => repeat(() => pick(['😀', '👍🏽', '👩‍👩‍👧', '🇨🇳', '❤️', '🚀 ', '\n']))],
    ['rare-han', () => repeat(() => String.fromCodePoint(0x3400 + below(20_000)))],
    ['spaces', () => repeat(() => pick([' ', '  ', '\n', '\t', '\r\n', '\u3000', '\u00a0', 'x', '}\n']))],
    ['numbers', () => repeat(() => pick(['1', '23', '4567', '3.14', ',', ' ', '１２', '½', '٣', '-', 'e10']))],
    [
      'mixed-scripts',
      () =>
        repeat(() =>
          pick(['Привет', ' мир', 'مرحبا', ' नमस्ते', ' Ελλάδα', '안녕', 'こんにちは', "don'T", "WE'LL", 'naïve', 'e\u0301', ' ']),
        ),
    ],
    ['one-letter', () => 'a'.repeat(characters)],
    ['any-unicode', () => repeat(() => String.fromCodePoint(below(0xd7ff)))],
  ]
  const samples: TextSample[] = []
  for (let index = 0; samples.length < count; index++) {
    const at = index % (texts.length + stress.length)
    const file = texts[at]
    const kind = file?.[0] ?? stress[at - texts.length]?.[0] ?? ''
    const start = file === undefined ? 0 : below(Math.max(1, file[1].length - characters))
    const text = file === undefined ? (stress[at - texts.length]?.[1]() ?? '') : file[1].slice(start, start + characters)
    if (!CONTROL_TOKEN.test(text)) samples.push({ kind, text })
  }
  return samples
}
