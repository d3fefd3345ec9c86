/** Builds a request for a person who agrees to every file of the folder as it stands. */
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import { hashOfText } from '#workers/shared/workspace-file.ts'

export async function buildAsRead(build: (input: BuildTask) => Promise<BuildOutput>, input: BuildTask): Promise<BuildOutput> {
  const output = await build(input)
  if (output.ok || output.reason !== 'unseen_files') return output
  return build({ ...input, verdicts: output.files.map(({ name, text }) => ({ name, hash: hashOfText(text) })) })
}
