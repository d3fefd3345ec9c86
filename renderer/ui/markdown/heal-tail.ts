/**
 * Makes the unfinished end of a streaming block readable: closes emphasis and code spans that are still
 * open and hides the half of a link that has not come yet. Only what is shown changes, never the text kept.
 */
export function healTail(source: string): string {
  const start = source.lastIndexOf('\n\n') + 1
  return source.slice(0, start) + healParagraph(source.slice(start))
}

function healParagraph(paragraph: string): string {
  const linked = hideOpenLink(paragraph)
  const { openCode, outside } = splitCode(linked)
  if (openCode !== undefined) return `${linked}${openCode}`
  return closeEmphasis(linked, outside)
}

/** `see [the docs](https://exa` → `see the docs`; an unfinished image disappears. */
function hideOpenLink(text: string): string {
  const target = /(!?)\[([^[\]\n]*)\]\([^)\n]*$/.exec(text)
  if (target !== null) return text.slice(0, target.index) + (target[1] === '!' ? '' : (target[2] ?? ''))
  const label = /(!?)\[([^[\]\n]*)$/.exec(text)
  // `- [ ` is the start of a task box, not of a link.
  if (label !== null && !/^\s*(?:[-*+]|\d+[.)])\s+$/.test(lineBefore(text, label.index)))
    return text.slice(0, label.index) + (label[1] === '!' ? '' : (label[2] ?? ''))
  return text
}

const lineBefore = (text: string, index: number): string => text.slice(text.lastIndexOf('\n', index - 1) + 1, index)

/** The text with its code spans blanked out, and the closing run when the last span is still open. */
function splitCode(text: string): { openCode: string | undefined; outside: string } {
  let outside = ''
  let index = 0
  while (index < text.length) {
    const run = /`+/.exec(text.slice(index))
    if (run === null) return { openCode: undefined, outside: outside + text.slice(index) }
    const opened = index + run.index
    const ticks = run[0]
    const from = opened + ticks.length
    const closed = findRun(text, ticks, from)
    outside += text.slice(index, opened)
    if (closed < 0) {
      const rest = text.slice(from)
      // Nothing but the ticks themselves: there is no span to close yet.
      return rest.trim() === '' ? { openCode: undefined, outside } : { openCode: ticks, outside }
    }
    outside += ' '.repeat(closed + ticks.length - opened)
    index = closed + ticks.length
  }
  return { openCode: undefined, outside }
}

function findRun(text: string, ticks: string, from: number): number {
  let index = text.indexOf(ticks, from)
  while (index >= 0) {
    const after = index + ticks.length
    if (text[after] !== '`' && text[index - 1] !== '`') return index
    while (text[index] === '`') index += 1
    index = text.indexOf(ticks, index)
  }
  return -1
}

function closeEmphasis(text: string, outside: string): string {
  const open: string[] = []
  for (const { 0: marker, index } of outside.matchAll(/\*\*\*|\*\*|\*|~~|(?<![\p{L}\p{N}_])_{1,2}|_{1,2}(?![\p{L}\p{N}_])/gu)) {
    const before = outside[index - 1] ?? '\n'
    const after = outside[index + marker.length] ?? '\n'
    if (before === '\\') continue
    const last = open.at(-1)
    if (last === marker && !/\s/.test(before)) open.pop()
    else if (!/\s/.test(after)) open.push(marker)
  }
  if (open.length === 0) return text.replace(/(?<=\S\s)(?:\*{1,3}|~~|_{1,2})$/, '')
  const trimmed = text.trimEnd()
  // A marker that has only just come, with nothing after it, is not shown at all.
  const last = open.at(-1) ?? ''
  if (trimmed.endsWith(last) && !/\S/.test(trimmed.slice(0, -last.length).split(/\s/).at(-1) ?? '')) return trimmed.slice(0, -last.length)
  return trimmed + open.reverse().join('')
}
