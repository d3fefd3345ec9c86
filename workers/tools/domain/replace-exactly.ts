/** Replaces one exact passage of a text. Line ends are compared as equal; what is not replaced stays byte for byte. */

export type Replacement =
  | { readonly kind: 'replaced'; readonly text: string }
  | { readonly kind: 'same' }
  /** Lines (from 1) where it stands. */
  | { readonly kind: 'ambiguous'; readonly lines: number[] }
  /** `near` is what stands in the file where only blanks differ, when there is such a place. */
  | { readonly kind: 'absent'; readonly near?: { readonly line: number; readonly text: string } }

export function replaceExactly(text: string, oldText: string, newText: string): Replacement {
  const { plain, positions } = withoutReturns(text)
  const wanted = oldText.replace(/\r\n/g, '\n')
  if (wanted === newText.replace(/\r\n/g, '\n')) return { kind: 'same' }
  const at = plain.indexOf(wanted)
  if (at < 0) return findNear(plain, wanted)
  const places: number[] = []
  for (let next = at; next >= 0 && places.length < 20; next = plain.indexOf(wanted, next + 1)) places.push(lineOf(plain, next))
  if (places.length > 1) return { kind: 'ambiguous', lines: places }
  const start = at + returnsBefore(positions, at)
  const end = at + wanted.length + returnsBefore(positions, at + wanted.length)
  const usesReturns = prefersReturns(text.slice(start, end), text)
  const inserted = usesReturns ? newText.replace(/\r?\n/g, '\r\n') : newText
  return { kind: 'replaced', text: text.slice(0, start) + inserted + text.slice(end) }
}

/** The text with CRLF as LF, and where (in the plain text) a CR was left out. */
function withoutReturns(text: string): { plain: string; positions: number[] } {
  const positions: number[] = []
  if (!text.includes('\r\n')) return { plain: text, positions }
  const plain = text.replace(/\r\n/g, (_end, at: number) => {
    positions.push(at - positions.length)
    return '\n'
  })
  return { plain, positions }
}

/** CRs that were left out before this place of the plain text; they stand before the LF at their position. */
function returnsBefore(positions: readonly number[], place: number): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((positions[middle] as number) < place) low = middle + 1
    else high = middle
  }
  return low
}

function prefersReturns(passage: string, whole: string): boolean {
  const sample = passage.includes('\n') ? passage : whole
  const all = sample.split('\n').length - 1
  return all > 0 && sample.split('\r\n').length - 1 > all / 2
}

function findNear(plain: string, wanted: string): Replacement {
  const lines = plain.split('\n')
  const target = wanted.split('\n').map(squeeze)
  while (target.length > 0 && target.at(-1) === '') target.pop()
  if (target.length === 0 || lines.length > 50_000) return { kind: 'absent' }
  for (let start = 0; start + target.length <= lines.length; start++) {
    if (target.every((line, offset) => squeeze(lines[start + offset] as string) === line))
      return { kind: 'absent', near: { line: start + 1, text: lines.slice(start, start + target.length).join('\n') } }
  }
  return { kind: 'absent' }
}

/** What stays of a line when all kinds of blanks are one; tabs, several spaces and full-width spaces are confused most. */
function squeeze(line: string): string {
  return line.replace(/[\s\u00a0\u3000]+/g, ' ').trim()
}

function lineOf(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++
  return line
}
