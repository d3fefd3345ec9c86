/** The rows of the virtual list. What did not change keeps its row, so that it is not rendered again. */
import type { MetonaThinking } from '#contracts/metona/metona-thinking.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { TranscriptItem } from '#contracts/session/transcript-item.ts'
import type { AssistantItem } from '#contracts/session/transcript-items.ts'
import { AnswerCutter, type AnswerPiece } from './cut-answer.ts'

interface RowBase {
  readonly key: string
  /** A rewind left it behind. */
  readonly superseded: boolean
}
export interface AnswerRow extends RowBase {
  readonly kind: 'answer'
  readonly messageId: string
  readonly seq: number | undefined
  readonly at: string
  readonly status: AssistantItem['status']
  readonly text: string
  readonly growing: boolean
  readonly thinking: MetonaThinking | undefined
  /** The first piece has the thinking and the buttons, the last one the end. */
  readonly first: boolean
  readonly last: boolean
}
export interface ItemRow extends RowBase {
  readonly kind: 'item'
  readonly item: Exclude<TranscriptItem, AssistantItem>
}
/** Stands for neighbours that a rewind left behind. */
export interface ReplacedRow extends RowBase {
  readonly kind: 'replaced'
  readonly count: number
  readonly open: boolean
}
export type TranscriptRow = AnswerRow | ItemRow | ReplacedRow

/** Whether Alt with an arrow stops here. */
export const isStop = (row: TranscriptRow): boolean =>
  row.kind === 'answer' ? row.first : row.kind === 'item' && (row.item.kind === 'user' || row.item.kind === 'tool')

export class TranscriptRows {
  #items: readonly TranscriptItem[] = []
  #rows: TranscriptRow[] = []
  /** For each item: where its rows begin. */
  #starts: number[] = []
  #asking = ''
  #opened = ''
  #cutters = new Map<string, AnswerCutter>()

  /** @param opened keys of `replaced` rows that show what they stand for */
  update(snapshot: Pick<SessionSnapshot, 'items' | 'approvals'>, opened: ReadonlySet<string>): readonly TranscriptRow[] {
    const { items } = snapshot
    // A call whose question is open is shown by its card.
    const asking = new Set(snapshot.approvals.map((approval) => approval.toolCallId))
    const [askingNow, openedNow] = [[...asking].join(), [...opened].join()]
    let same = 0
    if (askingNow === this.#asking && openedNow === this.#opened)
      while (same < items.length && same < this.#items.length && items[same] === this.#items[same]) same += 1
    // Neighbours that were left behind share a row: begin where the group does.
    while (same > 0 && same < items.length && items[same - 1]?.superseded === true) same -= 1
    const before = this.#rows
    const from = this.#starts[same] ?? (same === this.#items.length ? before.length : 0)
    const rows = before.slice(0, from)
    this.#starts.length = same
    for (let index = same; index < items.length;) index = this.#take(items, index, rows, asking, opened)
    this.#rows = reuse(rows, before, from)
    this.#items = items
    this.#asking = askingNow
    this.#opened = openedNow
    return this.#rows
  }

  /** Adds the rows of the item at `index`, or of the whole group that begins there. @returns the next index. */
  #take(
    items: readonly TranscriptItem[],
    index: number,
    rows: TranscriptRow[],
    asking: ReadonlySet<string>,
    opened: ReadonlySet<string>,
  ): number {
    const item = items[index]
    if (item === undefined) return index + 1
    this.#starts.push(rows.length)
    if (item.superseded !== true) {
      this.#add(item, rows, asking)
      return index + 1
    }
    let end = index + 1
    while (items[end]?.superseded === true) end += 1
    const key = `replaced:${item.kind}:${item.id}`
    const open = opened.has(key)
    rows.push({ kind: 'replaced', key, superseded: false, count: end - index, open })
    for (let member = index; member < end; member += 1) {
      if (member > index) this.#starts.push(this.#starts[index] ?? 0)
      const left = items[member]
      if (open && left !== undefined) this.#add(left, rows, asking)
    }
    return end
  }

  #add(item: TranscriptItem, rows: TranscriptRow[], asking: ReadonlySet<string>): void {
    const superseded = item.superseded === true
    if (item.kind !== 'assistant') {
      if (item.kind !== 'tool' || !asking.has(item.id)) rows.push({ kind: 'item', key: `${item.kind}:${item.id}`, superseded, item })
      return
    }
    // A message without a word yet has nothing to show.
    if (item.text.trim() === '' && item.thinking === undefined && item.status !== 'interrupted') return
    const growing = item.status === 'streaming'
    const pieces = this.#cut(item)
    for (const [place, piece] of pieces.entries()) {
      const [first, last] = [place === 0, place === pieces.length - 1]
      rows.push({
        kind: 'answer',
        key: first ? `assistant:${item.id}` : `assistant:${item.id}:${piece.start}`,
        superseded,
        messageId: item.id,
        seq: item.seq,
        at: item.at,
        status: last ? item.status : 'done',
        text: piece.text,
        growing: growing && last,
        thinking: first ? item.thinking : undefined,
        first,
        last,
      })
    }
  }

  #cut(item: AssistantItem): readonly AnswerPiece[] {
    const cutter = this.#cutters.get(item.id) ?? new AnswerCutter()
    if (item.status === 'streaming') this.#cutters.set(item.id, cutter)
    else this.#cutters.delete(item.id)
    return cutter.update(item.text)
  }
}

/** Rows equal to those that stood at the same place are those. */
function reuse(rows: TranscriptRow[], before: readonly TranscriptRow[], from: number): TranscriptRow[] {
  for (let index = from; index < rows.length; index += 1) {
    const [row, old] = [rows[index], before[index]]
    if (row !== undefined && old !== undefined && isSame(row, old)) rows[index] = old
  }
  return rows
}

function isSame(left: TranscriptRow, right: TranscriptRow): boolean {
  const [one, other] = [left as unknown as Record<string, unknown>, right as unknown as Record<string, unknown>]
  return Object.keys(one).every((name) => one[name] === other[name])
}
