/** Heavy tools beside other work: a large CSV, a flood of output, a search through much text. */
import { open } from 'node:fs/promises'
import path from 'node:path'
import type { FakeRule } from '#tests/helpers/fake-provider.ts'

const CSV = 'large.csv'
const TEXT_FILES = 10
const MIB = 1024 * 1024

/** Sessions that each run one tool over and over. Their first prompt is their marker. */
export function disturbance(times: number): FakeRule[] {
  const again = (name: string, args: (turn: number) => Record<string, unknown>): FakeRule['answers'] =>
    Array.from({ length: times }, (_, turn) => ({ toolCalls: [{ name, args: args(turn) }] }))
  return [
    { marker: 'disturb-csv|', answers: again('analyze_csv', (turn) => ({ file_path: turn % 2 === 0 ? CSV : `./${CSV}` })) },
    { marker: 'disturb-flood|', answers: again('run_command', (turn) => ({ command: `yes flood ${turn}`, timeout_ms: 20_000 })) },
    { marker: 'disturb-grep|', answers: again('search_text', (turn) => ({ pattern: `lorem.*ipsum ${turn}` })) },
  ]
}

/** @param folder the workspace the tools run in */
export async function makeDisturbance(folder: string, { csvMiB, textMiB }: { csvMiB: number; textMiB: number }): Promise<void> {
  const row = (index: number): string =>
    `${index},city ${index % 97},${(index * 7919) % 10_007},2026-0${(index % 9) + 1}-11,some text that nobody reads\n`
  const rows = Array.from({ length: 20_000 }, (_, index) => row(index)).join('')
  await repeat(path.join(folder, CSV), 'id,city,amount,day,note\n', rows, csvMiB * MIB)
  const line = 'lorem dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore\n'
  for (let file = 0; file < TEXT_FILES; file++)
    await repeat(path.join(folder, `text-${file}.txt`), '', line.repeat(10_000), (textMiB / TEXT_FILES) * MIB)
}

async function repeat(file: string, head: string, piece: string, bytes: number): Promise<void> {
  const handle = await open(file, 'w')
  try {
    await handle.write(head)
    for (let written = 0; written < bytes; written += piece.length) await handle.write(piece)
  } finally {
    await handle.close()
  }
}
