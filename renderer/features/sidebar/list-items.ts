/** The list as one flat sequence, so that only what is on screen is drawn. */
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import type { WorkspaceGroup } from '#renderer/stores/sessions.ts'

export type ListItem =
  | { readonly kind: 'folder'; readonly key: string; readonly workspace: string }
  | { readonly kind: 'empty'; readonly key: string; readonly workspace: string }
  | { readonly kind: 'row'; readonly key: string; readonly row: SessionSummary }
  | { readonly kind: 'archive'; readonly key: string; readonly workspace: string; readonly count: number; readonly open: boolean }

/** @param openArchives folders whose archived sessions are shown. */
export function listItems(groups: readonly WorkspaceGroup[], openArchives: ReadonlySet<string>): ListItem[] {
  const items: ListItem[] = []
  const put = (row: SessionSummary): void => void items.push({ kind: 'row', key: row.sessionId, row })
  for (const { workspace, rows, archived } of groups) {
    items.push({ kind: 'folder', key: `folder ${workspace}`, workspace })
    if (rows.length === 0) items.push({ kind: 'empty', key: `empty ${workspace}`, workspace })
    rows.forEach(put)
    if (archived.length === 0) continue
    const open = openArchives.has(workspace)
    items.push({ kind: 'archive', key: `archive ${workspace}`, workspace, count: archived.length, open })
    if (open) archived.forEach(put)
  }
  return items
}
