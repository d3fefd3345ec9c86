import { existsSync } from 'node:fs'
import type { DoctorReport } from '#contracts/storage/doctor-report.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { checkLayout, layoutOf } from '../folders/workspace-layout.ts'
import { openForWriting } from '../open-workspace.ts'
import type { Workspaces } from '../workspaces.ts'
import { compareWithLogs } from './verify.ts'

/**
 * Puts the database aside and makes a new one from the logs. What only the old one had is in the logs before it goes:
 * opening reconciles. `WORKSPACE_IN_USE` while another program writes here, or this one has it open.
 */
export function rebuild(workspaces: Workspaces, root: string): Promise<DoctorReport> {
  return workspaces.exclusively(root, async () => {
    const layout = layoutOf(root)
    checkLayout(layout)
    if (!existsSync(layout.internals) && !existsSync(layout.logs))
      throw new AppError({ code: 'NO_DATA', message: `${root} holds no data of Metona`, params: { path: root } })
    const present = workspaces.find(root)
    if (present !== undefined && !present.readOnly) {
      await present.queue.drain(5000)
      await present.rebuild()
      return compareWithLogs(workspaces, present, false)
    }
    const { profile, now, log, connection } = workspaces
    const { workspace } = await openForWriting({ root, profile, waitMs: 0, language: undefined, now, log, connection })
    try {
      if (workspace.readOnly) throw new AppError({ code: 'READ_ONLY', message: `${root} cannot be written`, params: { path: root } })
      await workspace.rebuild()
      return await compareWithLogs(workspaces, workspace, false)
    } finally {
      await workspace.dispose()
    }
  })
}
