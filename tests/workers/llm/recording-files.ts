/** The recorded responses as files, as the body a server sent, and cut into reads. */
import { readFileSync } from 'node:fs'
import type { Answer } from './adapter-harness.ts'

const folder = new URL('../../fixtures/providers/', import.meta.url)

export interface IndexEntry {
  readonly file: string
  readonly api: string
  readonly transport: string
  readonly http_status: number
  readonly content_type: string | null
  readonly sha256: string
}
export const recordingIndex = (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { fixtures: IndexEntry[] }).fixtures

export function entryOf(file: string): IndexEntry {
  const entry = recordingIndex.find((candidate) => candidate.file === file)
  if (entry === undefined) throw new Error(`${file} is not in index.json`)
  return entry
}

export const raw = (file: string): string => readFileSync(new URL(file, folder), 'utf8')

/** The body as the server sent it; the framing that one source stripped is put back. */
export function bodyOf(file: string): string {
  const text = raw(file)
  if (entryOf(file).transport !== 'sse-data-lines') return text
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `data: ${line}\n\n`)
    .join('')
}

export function answerFrom(file: string, chunks: readonly Uint8Array[]): Answer {
  const entry = entryOf(file)
  return { status: entry.http_status, headers: entry.content_type === null ? {} : { 'content-type': entry.content_type }, chunks }
}

/** Linear congruential generator of Numerical Recipes: the same cuts on every machine. */
export function cuts(length: number, seed: number): number[] {
  const points: number[] = []
  let state = seed
  for (let at = 0; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    at += 1 + ((state >>> 16) % 97)
    if (at >= length) return points
    points.push(at)
  }
}

export function pieces(body: Uint8Array, points: readonly number[]): Uint8Array[] {
  return [...points, body.length].map((end, position) => body.subarray(points[position - 1] ?? 0, end))
}
