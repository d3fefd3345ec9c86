/** What a terminal would show of a program's output, as plain lines: no colours, titles, links or cursor games. */

// ESC [ … final · ESC ] … (BEL or ESC \) · ESC P/X/^/_ … ESC \ · ESC and one or two characters; and their one-byte forms.
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[PX^_][^\u001b]*(?:\u001b\\|$)|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]|\u009d[^\u0007\u009c]*(?:\u0007|\u009c|$)/g
const OTHER_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

export function cleanTerminalText(text: string): string {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return text
  const plain = text.replace(SEQUENCES, '').replace(/\r+\n/g, '\n')
  const lines = plain.includes('\r') || plain.includes('\u0008') ? plain.split('\n').map(overwrite).join('\n') : plain
  return lines.replace(OTHER_CONTROLS, '')
}

/** An escape sequence that has begun at the end of `text` and is not complete: where it begins, else the length. */
export function completeTextEnd(text: string): number {
  const escape = text.lastIndexOf('\u001b')
  if (escape < 0 || text.length - escape > 4096) return text.length
  SEQUENCES.lastIndex = 0
  const tail = text.slice(escape)
  const unterminated = /^\u001b(?:\[[0-?]*[ -/]*|\][^\u0007]*|[PX^_][^\u001b]*|[ -/]*)$/.test(tail)
  return unterminated ? escape : text.length
}

/** A progress bar writes over its line again and again; the last state counts. */
function overwrite(line: string): string {
  const states = line.split('\r').filter((state) => state !== '')
  let last = states.at(-1) ?? ''
  while (last.includes('\u0008')) {
    const shorter = last.replace(/[^\u0008]\u0008/g, '').replace(/^\u0008+/, '')
    if (shorter === last) break
    last = shorter
  }
  return last
}
