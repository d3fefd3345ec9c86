/** Paths that fit a few letters, best first. Pure and quick: fifty thousand paths in a few milliseconds. */

export interface RankedPath {
  readonly path: string
  /** Places in `path` where the letters are. */
  readonly at: number[]
}

/** A path with what its ranking needs, made once. */
export interface IndexedPath {
  readonly path: string
  readonly folded: string
  /** Where its last name begins. */
  readonly nameAt: number
}

export function indexPath(path: string): IndexedPath {
  return { path, folded: foldLetters(path), nameAt: path.lastIndexOf('/') + 1 }
}

/** Lower case of the same length, so that places stay places. */
function foldLetters(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

/** Without letters: the paths nearest to the top, shortest first. */
export function rankPaths(paths: readonly IndexedPath[], query: string, limit: number): RankedPath[] {
  const wanted = foldLetters(query.trim().replaceAll('\\', '/'))
  const best: { entry: IndexedPath; score: number }[] = []
  let least = -Infinity
  for (const entry of paths) {
    const score = scoreOf(entry, wanted)
    if (score === undefined || (best.length >= limit && score <= least)) continue
    let place = best.length
    while (place > 0 && (best[place - 1]?.score ?? 0) < score) place -= 1
    best.splice(place, 0, { entry, score })
    if (best.length > limit) best.pop()
    least = best.at(-1)?.score ?? -Infinity
  }
  return best.map(({ entry }) => ({ path: entry.path, at: placesOf(entry, wanted) }))
}

/** Higher is better; undefined where the letters are not there in this order. */
function scoreOf({ folded, nameAt }: IndexedPath, wanted: string): number | undefined {
  const cost = folded.length / 8
  if (wanted === '') return -nameAt - cost
  const inName = folded.indexOf(wanted, nameAt)
  if (inName >= 0) {
    const whole = inName === nameAt && folded.length === nameAt + wanted.length
    return 1000 + (whole ? 400 : inName === nameAt ? 200 : isStart(folded, inName) ? 100 : 0) - cost
  }
  const anywhere = folded.indexOf(wanted)
  if (anywhere >= 0) return 600 + (isStart(folded, anywhere) ? 60 : 0) - cost
  if (!hasLetters(folded, wanted)) return undefined
  // Letters apart from each other: the fewer runs and the more beginnings of words, the better.
  const places = placesFromEnd(folded, wanted)
  let score = 200
  for (const [index, place] of places.entries()) {
    if (index > 0 && places[index - 1] !== place - 1) score -= 12
    if (isStart(folded, place)) score += 8
    if (place >= nameAt) score += 4
  }
  return score - cost
}

function placesOf({ folded, nameAt }: IndexedPath, wanted: string): number[] {
  if (wanted === '') return []
  const inName = folded.indexOf(wanted, nameAt)
  const start = inName >= 0 ? inName : folded.indexOf(wanted)
  return start >= 0 ? Array.from({ length: wanted.length }, (_, index) => start + index) : placesFromEnd(folded, wanted)
}

function hasLetters(folded: string, wanted: string): boolean {
  let at = 0
  for (let index = 0; index < wanted.length; index += 1) {
    at = folded.indexOf(wanted[index] ?? '', at) + 1
    if (at === 0) return false
  }
  return true
}

/** From the end, because the name says more than the folders before it. */
function placesFromEnd(folded: string, wanted: string): number[] {
  const places: number[] = []
  let at = folded.length
  for (let index = wanted.length - 1; index >= 0; index -= 1) {
    at = folded.lastIndexOf(wanted[index] ?? '', at - 1)
    places.push(at)
  }
  return places.reverse()
}

const isStart = (text: string, at: number): boolean => at === 0 || /[/._\- ]/.test(text[at - 1] ?? '')
