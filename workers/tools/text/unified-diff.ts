/** A unified diff for people and models; bounded in time and size. */

export interface Diff {
  readonly text: string
  readonly added: number
  readonly removed: number
}

const CONTEXT = 3
/** The comparison gives up after this and says how much changed instead. */
const TIMEOUT_MS = 400

export async function unifiedDiff(path: string, before: string, after: string): Promise<Diff> {
  const { structuredPatch } = await import('diff')
  const patch = structuredPatch(path, path, before, after, undefined, undefined, { context: CONTEXT, timeout: TIMEOUT_MS })
  if (patch === undefined) {
    const removed = countLines(before)
    const added = countLines(after)
    return { text: `--- ${path}\n+++ ${path}\n[The whole file changes: ${removed} lines before, ${added} after.]\n`, added, removed }
  }
  let added = 0
  let removed = 0
  const lines = [`--- ${path}`, `+++ ${path}`]
  for (const hunk of patch.hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`)
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++
      if (line.startsWith('-')) removed++
      lines.push(line)
    }
  }
  return { text: `${lines.join('\n')}\n`, added, removed }
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
