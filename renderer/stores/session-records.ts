/** What a person does to stored sessions from the list: name, pin, archive, fork, delete with an undo, export. */
import { exportSession, type ExportFormat } from '#contracts/export/export-session.ts'
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import { i18n } from '#renderer/locales/i18n.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { saveFile } from './save-file.ts'
import { LIVE_STATES, useSessionsStore } from './sessions.ts'
import { toProblem, type Problem } from './to-problem.ts'
import { useToastsStore } from './toasts.ts'

const PAGE = 2000

export const useSessionRecordsStore = defineStore('session-records', () => {
  const connection = useConnectionStore()
  const sessions = useSessionsStore()
  const toasts = useToastsStore()
  /** Why the last of these actions did not happen; shown above the list. */
  const problem = shallowRef<Problem>()
  /** Deletions that can still be taken back. A page that goes away carries them out. */
  const pending = new Map<string, SessionSummary>()
  window.addEventListener('pagehide', () => pending.forEach((row) => void destroy(row)))

  async function attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    problem.value = undefined
    try {
      return await run()
    } catch (error) {
      problem.value = toProblem(error)
      return undefined
    }
  }

  /** A stored session is taken up for it; one that is open stays as it is. */
  const change = (row: SessionSummary, settings: SessionSettings): Promise<unknown> =>
    connection.call('session.open', { workspace: row.workspace, sessionId: row.sessionId, ...settings })

  const rename = (row: SessionSummary, title: string): Promise<unknown> => attempt(() => change(row, { title }))
  const pin = (row: SessionSummary, pinned: boolean): Promise<unknown> => attempt(() => change(row, { pinned }))

  /** What runs is not put away. The session's record is closed with its totals. */
  async function archive(row: SessionSummary): Promise<void> {
    if (LIVE_STATES.has(row.state)) return
    await attempt(async () => {
      await change(row, { archived: true })
      await connection.call('session.close', { sessionId: row.sessionId })
      toasts.show({ text: 'side.archived', action: { label: 'side.undo', run: () => void unarchive(row) } })
    })
  }
  const unarchive = (row: SessionSummary): Promise<unknown> => attempt(() => change(row, { archived: false }))

  /** @returns the id of the copy, or nothing where it could not be made. */
  async function fork(row: SessionSummary, atSeq?: number): Promise<string | undefined> {
    const made = await attempt(() =>
      connection.call('session.fork', {
        workspace: row.workspace,
        sessionId: row.sessionId,
        ...(atSeq === undefined ? {} : { atSeq }),
      }),
    )
    return made?.sessionId
  }

  /** Leaves the list at once; is deleted when the offer to undo is over. What runs is stopped first. */
  async function remove(row: SessionSummary): Promise<void> {
    const stopped = LIVE_STATES.has(row.state) ? await attempt(() => connection.call('session.stop', { sessionId: row.sessionId })) : {}
    if (stopped === undefined) return
    pending.set(row.sessionId, row)
    sessions.hide(row.sessionId)
    toasts.show({
      text: 'side.deleted',
      action: { label: 'side.undo', run: () => keep(row) },
      expired: () => void destroy(row),
    })
  }

  function keep(row: SessionSummary): void {
    pending.delete(row.sessionId)
    sessions.unhide(row.sessionId)
  }

  async function destroy(row: SessionSummary): Promise<void> {
    if (!pending.delete(row.sessionId)) return
    await attempt(() => connection.call('session.delete', { workspace: row.workspace, sessionId: row.sessionId }))
    sessions.unhide(row.sessionId)
  }

  /** Hands the whole session to the browser as a file. */
  async function exportAs(row: SessionSummary, format: ExportFormat): Promise<void> {
    await attempt(async () => {
      const events = await readAll(row)
      const content = exportSession(format, events, i18n.global.locale.value === 'zh-CN' ? 'zh' : 'en')
      const types = { md: 'text/markdown', json: 'application/json', html: 'text/html' }
      saveFile(`${fileName(row.title) || row.sessionId}.${format}`, content, types[format])
    })
  }

  async function readAll({ workspace, sessionId }: SessionSummary): Promise<SessionEvent[]> {
    const events: SessionEvent[] = []
    for (;;) {
      const fromSeq = (events.at(-1)?.seq ?? -1) + 1
      const page = await connection.call('session.read', { workspace, sessionId, fromSeq, limit: PAGE })
      events.push(...page.events)
      if (page.events.length === 0) return events
    }
  }

  return { problem, rename, pin, archive, unarchive, fork, remove, exportAs }
})

/** What any file system takes. */
function fileName(title: string): string {
  return [...title.replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim()].slice(0, 60).join('').trim()
}
