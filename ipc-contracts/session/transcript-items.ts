/** Finding and replacing transcript items. Live items stand near the end, so searches go backwards. */
import type { TranscriptItem } from './session-snapshot.ts'

type ItemOf<K extends TranscriptItem['kind']> = Extract<TranscriptItem, { kind: K }>
export type ToolItem = ItemOf<'tool'>
export type AssistantItem = ItemOf<'assistant'>

export function findItem<K extends TranscriptItem['kind']>(items: readonly TranscriptItem[], kind: K, id: string): ItemOf<K> | undefined {
  const index = indexOf(items, kind, id)
  return index < 0 ? undefined : (items[index] as ItemOf<K>)
}

/** Replaces the item of the same kind and id in its place, else appends. */
export function putItem(items: TranscriptItem[], item: TranscriptItem): void {
  const index = indexOf(items, item.kind, item.id)
  if (index < 0) items.push(item)
  else items[index] = item
}

function indexOf(items: readonly TranscriptItem[], kind: string, id: string): number {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    if (item?.kind === kind && item.id === id) return index
  }
  return -1
}
