/** Asks storage what the model may be given of files that speak in the person's name. */
import type { FileVerdict, SeenFile } from '#contracts/workspace/agreed-file.ts'
import { toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import type { LiveSession } from './live-session.ts'

const ATTEMPTS = 3

/** Counts answers of the person's; builds are told, so that what was agreed to is taken up. */
export class AgreementCount {
  value = 0
}

/** Rejects when storage cannot be had: without an answer nothing of these files is used. */
export async function judgeFiles(session: LiveSession, files: SeenFile[]): Promise<FileVerdict[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const storage = await session.storage()
      return (await storage.judgeFiles({ workspace: session.workspace, files })).verdicts
    } catch (thrown) {
      if (attempt >= ATTEMPTS || toErrorData(thrown).code !== WireErrorCode.WORKER_LOST) throw thrown
    }
  }
}
