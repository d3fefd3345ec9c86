/** A unified diff as rows with their numbers; in a changed pair the part that differs is marked. */

export interface DiffRun {
  readonly text: string
  readonly changed: boolean
}
export interface DiffLine {
  readonly kind: 'add' | 'delete' | 'same' | 'hunk' | 'meta'
  readonly before: number | undefined
  readonly after: number | undefined
  readonly runs: readonly DiffRun[]
}

/** Lines longer than this are shown without marks. */
const LONGEST_MARKED = 2000

/** @returns undefined for text that is no diff. */
export function parseDiff(text: string): DiffLine[] | undefined {
  if (!/^@@ -\d/m.test(text)) return undefined
  const lines: DiffLine[] = []
  let before = 0
  let after = 0
  let inHunk = false
  const plain = (content: string): DiffRun[] => [{ text: content, changed: false }]
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk !== null) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      inHunk = true
      lines.push({ kind: 'hunk', before: undefined, after: undefined, runs: plain(line) })
    } else if (!inHunk || line.startsWith('\\')) lines.push({ kind: 'meta', before: undefined, after: undefined, runs: plain(line) })
    else if (line.startsWith('+')) lines.push({ kind: 'add', before: undefined, after: after++, runs: plain(line.slice(1)) })
    else if (line.startsWith('-')) lines.push({ kind: 'delete', before: before++, after: undefined, runs: plain(line.slice(1)) })
    // Only the sign is taken away: nothing of a text that is no diff after all is lost.
    else lines.push({ kind: 'same', before: before++, after: after++, runs: plain(line.replace(/^ /, '')) })
  }
  return markPairs(lines)
}

/** As many removed lines followed by as many added ones: the first was changed into the first, and so on. */
function markPairs(lines: DiffLine[]): DiffLine[] {
  for (let index = 0; index < lines.length; index += 1) {
    if (lines[index]?.kind !== 'delete') continue
    let added = index
    while (lines[added]?.kind === 'delete') added += 1
    let end = added
    while (lines[end]?.kind === 'add') end += 1
    if (end - added === added - index) for (let pair = 0; pair < added - index; pair += 1) markPair(lines, index + pair, added + pair)
    index = end - 1
  }
  return lines
}

function markPair(lines: DiffLine[], removedAt: number, addedAt: number): void {
  const [removed, added] = [lines[removedAt], lines[addedAt]]
  if (removed === undefined || added === undefined) return
  const [old, now] = [removed.runs[0]?.text ?? '', added.runs[0]?.text ?? '']
  if (old.length > LONGEST_MARKED || now.length > LONGEST_MARKED) return
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  // Nothing in common, or nothing but it: a mark would say nothing.
  if (start + end === 0 || (start === old.length && start === now.length)) return
  const cut = (line: DiffLine, text: string): DiffLine => ({
    ...line,
    runs: [
      { text: text.slice(0, start), changed: false },
      { text: text.slice(start, text.length - end), changed: true },
      { text: text.slice(text.length - end), changed: false },
    ].filter((run) => run.text !== ''),
  })
  lines[removedAt] = cut(removed, old)
  lines[addedAt] = cut(added, now)
}
