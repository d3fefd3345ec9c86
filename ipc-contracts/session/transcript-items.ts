/**
 * Finding and replacing transcript items. Live items stand near the end, so searches go backwards, and not
 * beyond the end of an earlier turn: a session of 10,000 events must fold in a moment.
 */
import type { SessionSnapshot } from './session-snapshot.ts'
import type { TranscriptItem } from './transcript-item.ts'

type ItemOf<K extends TranscriptItem['kind']> = Extract<TranscriptItem, { kind: K }>
export type ToolItem = ItemOf<'tool'>
export type AssistantItem = ItemOf<'assistant'>

/** Lists made by the fold that is running; any other list belongs to a snapshot somebody holds. */
const own = new WeakSet<readonly TranscriptItem[]>()

/** @param turn the turn the item belongs to */
export function findItem<K extends 'assistant' | 'tool'>(
  items: readonly TranscriptItem[],
  kind: K,
  id: string,
  turn: number,
): ItemOf<K> | undefined {
  const index = indexOf(items, kind, id, turn)
  return index < 0 ? undefined : (items[index] as ItemOf<K>)
}

/** Replaces the item of the same kind and id in its place, else appends. */
export function putItem(draft: SessionSnapshot, item: AssistantItem | ToolItem): void {
  const index = indexOf(draft.items, item.kind, item.id, item.turn)
  if (index < 0) ownItems(draft).push(item)
  else ownItems(draft)[index] = item
}

/** Appends an item whose id is new by nature. */
export function addItem(draft: SessionSnapshot, item: TranscriptItem): void {
  ownItems(draft).push(item)
}

/** Puts `change(item)` in the place of each item for which it is another one. */
export function changeItems(draft: SessionSnapshot, change: (item: TranscriptItem, index: number) => TranscriptItem): void {
  for (const [index, item] of draft.items.entries()) {
    const changed = change(item, index)
    if (changed !== item) ownItems(draft)[index] = changed
  }
}

/** As `changeItems`, for the items of the newest turn only: what an earlier turn left behind has come to rest. */
export function changeTurnItems(draft: SessionSnapshot, turn: number, change: (item: TranscriptItem) => TranscriptItem): void {
  for (let index = draft.items.length - 1; index >= 0; index--) {
    const item = draft.items[index]
    if (item === undefined || (item.kind === 'turn_end' && item.turn < turn)) return
    const changed = change(item)
    if (changed !== item) ownItems(draft)[index] = changed
  }
}

/** Removes calls of the running turn that were never made. */
export function removeTools(draft: SessionSnapshot, turn: number, isGone: (item: ToolItem) => boolean): void {
  for (let index = draft.items.length - 1; index >= 0; index--) {
    const item = draft.items[index]
    if (item?.kind === 'turn_end' && item.turn < turn) return
    if (item?.kind === 'tool' && item.turn === turn && isGone(item)) ownItems(draft).splice(index, 1)
  }
}

/** From here on the list may be held by others and is copied before the next change. */
export function releaseItems(draft: SessionSnapshot): void {
  own.delete(draft.items)
}

function ownItems(draft: SessionSnapshot): TranscriptItem[] {
  if (!own.has(draft.items)) {
    draft.items = draft.items.slice()
    own.add(draft.items)
  }
  return draft.items
}

function indexOf(items: readonly TranscriptItem[], kind: string, id: string, turn: number): number {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    if (item?.kind === kind && item.id === id) return index
    if (item?.kind === 'turn_end' && item.turn < turn) return -1
  }
  return -1
}
