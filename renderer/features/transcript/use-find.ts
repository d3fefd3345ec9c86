/** Words found in a conversation, also in rows that are not on the page, and marked where they are. */
import { computed, onBeforeUnmount, ref, shallowRef, watch, type Ref } from 'vue'
import { foldCase } from '#renderer/ui/fold-case.ts'
import { rowText } from './row-text.ts'
import type { TranscriptRow } from './transcript-rows.ts'

export interface Finder {
  readonly open: Ref<boolean>
  readonly query: Ref<string>
  readonly count: Readonly<Ref<number>>
  /** From 0; -1 while nothing is found. */
  readonly current: Ref<number>
  step(by: 1 | -1): void
  close(): void
  /** Marks what is on the page now; called when other rows came. */
  mark(): void
}

interface Found {
  readonly row: string
  readonly nth: number
}

const MOST = 5000
const AGAIN_MS = 400
const MARKS = ['metona-find', 'metona-find-now'] as const

export function useFind(
  rows: () => readonly TranscriptRow[],
  content: Ref<HTMLElement | null>,
  reveal: (key: string) => Promise<void>,
  isWhole: () => boolean,
): Finder {
  const open = ref(false)
  const query = ref('')
  const current = ref(-1)
  const found = shallowRef<readonly Found[]>([])
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Nothing was found yet, but the beginning of the conversation was still to come. */
  let awaited = false
  watch(query, () => {
    search()
    current.value = found.value.length > 0 ? nearest() : -1
    awaited = current.value < 0 && !isWhole()
    void show()
  })
  // Marks hold on to text nodes: whatever puts others in their place has them made anew.
  let frame: number | undefined
  const observer = new MutationObserver(() => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      paint()
    })
  })
  watch(open, (isOpen) => {
    if (isOpen) {
      search()
      if (content.value !== null) observer.observe(content.value, { childList: true, subtree: true, characterData: true })
    } else observer.disconnect()
    mark()
  })
  // What streams in is searched as well, only not at every frame.
  watch(rows, () => {
    if (open.value && query.value !== '')
      timer ??= setTimeout(() => {
        timer = undefined
        search()
        if (awaited && found.value.length > 0) {
          awaited = false
          current.value = nearest()
          void show()
        } else mark()
        awaited &&= !isWhole()
      }, AGAIN_MS)
  })
  onBeforeUnmount(() => {
    clearTimeout(timer)
    observer.disconnect()
    if (frame !== undefined) cancelAnimationFrame(frame)
    for (const name of MARKS) CSS.highlights.delete(name)
  })

  function search(): void {
    const wanted = foldCase(query.value)
    const next: Found[] = []
    if (wanted !== '')
      for (const row of rows()) {
        if (next.length >= MOST) break
        const text = foldCase(rowText(row))
        let nth = 0
        for (let at = text.indexOf(wanted); at >= 0 && next.length < MOST; at = text.indexOf(wanted, at + wanted.length))
          next.push({ row: row.key, nth: nth++ })
      }
    const now = found.value[current.value]
    found.value = next
    // Others may have come before it as well as after it.
    const again = next.findIndex((match) => match.row === now?.row && match.nth === now.nth)
    current.value = again >= 0 ? again : Math.min(current.value, next.length - 1)
  }

  /** The last one that is not below what is on the page: people look for what was said before. */
  function nearest(): number {
    const shown = [...(content.value?.querySelectorAll('[data-row]') ?? [])].at(-1)?.getAttribute('data-row')
    const order = new Map(rows().map((row, index) => [row.key, index]))
    const below = order.get(shown ?? '') ?? Infinity
    const last = found.value.findLastIndex((match) => (order.get(match.row) ?? 0) <= below)
    return last < 0 ? 0 : last
  }

  function step(by: 1 | -1): void {
    const total = found.value.length
    if (total === 0) return
    current.value = (current.value + by + total) % total
    void show()
  }

  async function show(): Promise<void> {
    const match = found.value[current.value]
    if (match !== undefined) await reveal(match.row)
    mark()
  }

  function mark(): void {
    paint()?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' })
  }

  /** @returns where the current one is, when it is on the page. */
  function paint(): Range | undefined {
    const wanted = open.value ? foldCase(query.value) : ''
    const all: Range[] = []
    let now: Range | undefined
    const match = found.value[current.value]
    if (wanted !== '')
      for (const row of content.value?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
        const ranges = rangesIn(row, wanted)
        if (match !== undefined && row.dataset['row'] === match.row) now = ranges[Math.min(match.nth, ranges.length - 1)]
        all.push(...ranges)
      }
    CSS.highlights.set(MARKS[0], new Highlight(...all))
    CSS.highlights.set(MARKS[1], new Highlight(...(now === undefined ? [] : [now])))
    return now
  }

  function close(): void {
    open.value = false
    query.value = ''
  }

  return { open, query, count: computed(() => found.value.length), current, step, close, mark }
}

function rangesIn(row: HTMLElement, wanted: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null && ranges.length < 500; node = walker.nextNode()) {
    const text = foldCase(node.textContent ?? '')
    for (let at = text.indexOf(wanted); at >= 0 && ranges.length < 500; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, Math.min(at + wanted.length, node.textContent?.length ?? 0))
      ranges.push(range)
    }
  }
  return ranges
}
