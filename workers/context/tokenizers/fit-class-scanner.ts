/**
 * Fits the weights of the class scanner against the exact counters, on the texts that installed packages bring:
 * `node workers/context/tokenizers/fit-class-scanner.ts`. Prints the errors on the half that was held out and
 * writes `domain/scanner-weights.ts`.
 */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FEATURE_COUNT, scanClasses, scannerFeatures } from '../domain/class-scanner.ts'
import { loadBytePairCounter } from './load-vocabulary.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CHUNK = 4_000
const MOST_PER_CORPUS = 160
/** Weights that little text decides; larger ones would only follow that text. */
const CLAMPS: Partial<Record<(typeof scannerFeatures)[number], number>> = {
  accented: 1,
  otherLetters: 1.2,
  hangul: 1.5,
  rareHan: 3,
  emoji: 3,
}

/** Weights that the texts at hand would push to nothing because they never stand alone there. */
const FLOORS: Partial<Record<(typeof scannerFeatures)[number], number>> = { wideMarks: 0.5, otherLetters: 0.1, tabs: 0.2, emoji: 1.5 }
/** How much a corpus counts: by what sessions hold, not by what packages happen to ship. */
const IMPORTANCE: Readonly<Record<string, number>> = {
  'zh-cn': 4,
  mixed: 3,
  docs: 2,
  code: 2,
  json: 1.5,
  'zh-tw': 0.2,
  ja: 0.4,
  ko: 0.4,
  ru: 0.4,
  de: 0.4,
  fr: 0.4,
  synthetic: 0.3,
}

interface Sample {
  readonly corpus: string
  readonly text: string
}

const samples = collectSamples()
const { encode } = await import('gpt-tokenizer/encoding/o200k_base')
const deepseek = await loadBytePairCounter('deepseek')
const qwen = await loadBytePairCounter('qwen')
const truths: Record<string, (text: string) => number> = {
  deepseek: (text) => deepseek.count(text),
  qwen: (text) => qwen.count(text),
  o200k: (text) => encode(text, { allowedSpecial: 'all' }).length,
}

const features = samples.map((sample) => {
  const row = new Float64Array(FEATURE_COUNT)
  scanClasses(sample.text, row)
  return row
})
const fitted: Record<string, number[]> = {}
for (const [family, countText] of Object.entries(truths)) {
  const truth = samples.map((sample) => countText(sample.text))
  const isTraining = (_: unknown, index: number): boolean => index % 2 === 0
  const weights = fit(
    features.filter(isTraining),
    truth.filter(isTraining),
    samples.filter(isTraining).map((sample) => Math.sqrt(IMPORTANCE[sample.corpus] ?? 1)),
  )
  fitted[family] = weights.map((weight) => Number(weight.toFixed(4)))
  reportErrors(family, weights, truth)
}
writeFileSync(join(import.meta.dirname, '../domain/scanner-weights.ts'), sourceOf(fitted))

/** Non-negative least squares on relative errors, by coordinate descent. */
function fit(rows: readonly Float64Array[], truth: readonly number[], importance: readonly number[]): number[] {
  const scaled = rows.map((row, index) => row.map((value) => (value / (truth[index] as number)) * (importance[index] as number)))
  const weights = scannerFeatures.map(() => 0.3)
  const residual = scaled.map(
    (row, at) => (importance[at] as number) - row.reduce((sum, value, index) => sum + value * (weights[index] as number), 0),
  )
  for (let round = 0; round < 4_000; round++) {
    for (let feature = 0; feature < FEATURE_COUNT; feature++) {
      let gradient = 0
      let norm = 1e-9
      for (let index = 0; index < scaled.length; index++) {
        const value = (scaled[index] as Float64Array)[feature] as number
        gradient += value * (residual[index] as number)
        norm += value * value
      }
      const name = scannerFeatures[feature] as (typeof scannerFeatures)[number]
      const old = weights[feature] as number
      const next = Math.min(CLAMPS[name] ?? Infinity, Math.max(FLOORS[name] ?? 0, old + gradient / norm))
      if (next === old) continue
      weights[feature] = next
      for (let index = 0; index < scaled.length; index++)
        residual[index] = (residual[index] as number) - ((scaled[index] as Float64Array)[feature] as number) * (next - old)
    }
  }
  return weights
}

function reportErrors(family: string, weights: readonly number[], truth: readonly number[]): void {
  const errors = new Map<string, number[]>()
  for (const [index, sample] of samples.entries()) {
    if (index % 2 === 0) continue
    const estimate = (features[index] as Float64Array).reduce((sum, value, feature) => sum + value * (weights[feature] as number), 0)
    const error = estimate / (truth[index] as number) - 1
    errors.set(sample.corpus, [...(errors.get(sample.corpus) ?? []), error])
  }
  const all = [...errors.values()]
    .flat()
    .map(Math.abs)
    .sort((left, right) => left - right)
  const percent = (value: number | undefined): string => `${((value ?? 0) * 100).toFixed(1)} %`
  process.stdout.write(
    `${family}: mean ${percent(all.reduce((sum, value) => sum + value, 0) / all.length)}, p95 ${percent(all[Math.floor(all.length * 0.95)])}, max ${percent(all.at(-1))}\n`,
  )
  for (const [corpus, values] of errors)
    process.stdout.write(
      `  ${corpus.padEnd(14)} bias ${percent(values.reduce((sum, value) => sum + value, 0) / values.length)} worst ${percent(Math.max(...values.map(Math.abs)))}\n`,
    )
}

function collectSamples(): Sample[] {
  const modules = join(ROOT, 'node_modules')
  const docs: string[] = []
  const code: string[] = []
  const json: string[] = []
  const listing: string[] = []
  const grep: string[] = []
  for (const path of walk(modules, 4)) {
    const size = statSync(path).size
    if (size > 2_000_000) continue
    if (path.endsWith('.md') && size > 3_000) docs.push(readFileSync(path, 'utf8').slice(0, 20_000))
    else if (/\.(d\.ts|ts|js|mjs|cjs)$/.test(path) && size > 3_000 && code.length < 500)
      code.push(readFileSync(path, 'utf8').slice(0, 12_000))
    else if (path.endsWith('.json') && size > 2_000 && json.length < 300) json.push(readFileSync(path, 'utf8').slice(0, 12_000))
    if (listing.length < 6_000)
      listing.push(
        `-rw-r--r-- 1 root root ${String(size).padStart(8)} Jan 12 09:${String(size % 60).padStart(2, '0')} ${path.slice(ROOT.length + 1)}`,
      )
  }
  for (const text of code.slice(0, 200))
    for (const [index, line] of text.split('\n').slice(20, 50).entries())
      grep.push(`src/part-${text.length % 97}/module.ts:${index + 20}:${line}`)
  const samples: Sample[] = []
  const add = (corpus: string, texts: readonly string[]): void => {
    const chunks = texts.flatMap((text) => chunksOf(text))
    const step = Math.max(1, chunks.length / MOST_PER_CORPUS)
    for (let at = 0; at < chunks.length; at += step) samples.push({ corpus, text: chunks[Math.floor(at)] as string })
  }
  add('docs', docs)
  add('code', code)
  add('json', json)
  add('listing', [listing.join('\n')])
  add('grep', [grep.join('\n')])
  for (const language of ['zh-cn', 'zh-tw', 'ja', 'ko', 'ru', 'de', 'fr']) {
    const messages = JSON.parse(
      readFileSync(join(modules, 'typescript/lib', language, 'diagnosticMessages.generated.json'), 'utf8'),
    ) as Record<string, string>
    add(language, [
      Object.values(messages)
        .join('\n')
        .slice(0, language === 'zh-cn' ? 800_000 : 160_000),
    ])
  }
  add('mixed', mixed(docs, samples))
  add('synthetic', synthetic())
  return samples
}

/** Chinese sentences between English paragraphs and code, as in most sessions. */
function mixed(docs: readonly string[], samples: readonly Sample[]): string[] {
  const chinese = samples.filter((sample) => sample.corpus === 'zh-cn').map((sample) => sample.text)
  return docs
    .slice(0, 40)
    .map(
      (text, index) => `${text.slice(0, 1_500)}\n${(chinese[index % chinese.length] ?? '').slice(0, 1_200)}\n${text.slice(1_500, 3_000)}\n`,
    )
}

function synthetic(): string[] {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const letters = (alphabet: string, length: number): string => Array.from({ length }, () => alphabet[random(alphabet.length)]).join('')
  const lines = (make: () => string): string =>
    Array.from({ length: 700 }, make)
      .join('\n')
      .slice(0, CHUNK * 4)
  const from = (first: number, count: number): string => String.fromCodePoint(first + random(count))
  return [
    lines(() => letters('0123456789abcdef', 40)),
    lines(() => letters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 76)),
    lines(() => `${random(9_999)},${random(999)}.${random(99)},2026-0${1 + random(9)}-1${random(10)},${letters('abcdefghij', 6)}`),
    lines(() => Array.from({ length: 20 }, () => from(0x1f600, 60)).join('')),
    lines(() => Array.from({ length: 30 }, () => from(0x3400, 6_000)).join('')),
    lines(() => Array.from({ length: 30 }, () => from(0x4e00, 20_000)).join('')),
    lines(() => `${' '.repeat(random(16))}${letters('abcdefghijklmnopqrstuvwxyz', 1 + random(9))}`),
    lines(
      () =>
        `2026-06-25T12:0${random(10)}:${10 + random(50)}.${100 + random(900)}Z INFO [worker-${random(9)}] request ${letters('0123456789abcdef', 8)} took ${random(2_000)} ms`,
    ),
  ]
}

function chunksOf(text: string): string[] {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += CHUNK) if (text.length - at > 400) chunks.push(text.slice(at, at + CHUNK))
  return chunks
}

function* walk(folder: string, depth: number): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) yield* walk(path, depth - 1)
    else if (entry.isFile()) yield path
  }
}

function sourceOf(weights: Readonly<Record<string, readonly number[]>>): string {
  const rows = Object.entries(weights).map(([family, row]) => `  ${family}: [${row.join(', ')}],`)
  return `/** Weights of the class scanner, in the order of \`scannerFeatures\`. Generated by tokenizers/fit-class-scanner.ts. */\nexport type ScannerFamily = ${Object.keys(
    weights,
  )
    .map((family) => `'${family}'`)
    .join(' | ')}\n\nexport const scannerWeights: Readonly<Record<ScannerFamily, readonly number[]>> = {\n${rows.join('\n')}\n}\n`
}
