/** Rows in columns: aligned on a terminal, tab-separated for programs. */
import type { Output } from './output.ts'
import { plainText } from './plain-text.ts'

/** @param header column names, separated by tabs, from the messages table. */
export function printTable(out: Output, header: string, rows: readonly (readonly string[])[]): void {
  const lines = [header.split('\t'), ...rows.map((row) => row.map((cell) => plainText(cell).replaceAll('\t', ' ').replaceAll('\n', ' ')))]
  if (!out.isTerminal) return void out.write(lines.map((cells) => `${cells.join('\t')}\n`).join(''))
  const widths = lines.reduce<number[]>(
    (widest, cells) => cells.map((cell, column) => Math.max(widest[column] ?? 0, displayWidth(cell))),
    [],
  )
  for (const cells of lines)
    out.line(
      cells
        .map((cell, column) => (column === cells.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell))))
        .join('  '),
    )
}

/** Terminal columns: East Asian wide characters take two. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += WIDE.test(character) ? 2 : 1
  return width
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
