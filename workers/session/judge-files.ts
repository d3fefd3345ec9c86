/** Asks storage what the model may be given of files that speak in the person's name. */
import type { FileVerdict, SeenFile } from '#contracts/workspace/agreed-file.ts'
import type { LiveSession } from './live-session.ts'

/** Counts answers of the person's; builds are told, so that what was agreed to is taken up. */
export class AgreementCount {
  value = 0
}

/** Rejects when storage cannot be had: without an answer nothing of these files is used. */
export async function judgeFiles({ store, workspace }: LiveSession, files: SeenFile[]): Promise<FileVerdict[]> {
  const { verdicts } = await store.ask((storage) => storage.judgeFiles({ workspace, files }))
  return verdicts
}
