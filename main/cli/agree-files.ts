/**
 * Files that speak to the model and were changed since the person agreed to them. At a terminal the person is asked before
 * the turn; elsewhere the note on stderr says it, and the agreed text is used.
 */
import { indent } from './indent.ts'
import type { Client } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { confirm } from './confirm.ts'
import { fill } from './fill.ts'
import { plainText } from './plain-text.ts'

export async function askAboutFiles(context: CommandContext, client: Client, workspace: string): Promise<void> {
  const { files } = await client.call('workspaceFiles.changes', { workspace })
  for (const { name, hash, diff, kept } of files) {
    if (kept) continue
    showDiff(context, context.text.fileChanged, name, diff)
    const decision = (await confirm(context.text.fileQuestion)) ? 'take' : 'keep'
    await client.call('workspaceFiles.answer', { workspace, name, hash, decision })
  }
}

/** A folder is trusted once more: agrees to each text that was changed, as it is shown here. */
export async function takeChangedFiles(context: CommandContext, client: Client, workspace: string): Promise<void> {
  const { files } = await client.call('workspaceFiles.changes', { workspace })
  for (const { name, hash, diff } of files) {
    showDiff(context, context.text.fileTaken, name, diff)
    await client.call('workspaceFiles.answer', { workspace, name, hash, decision: 'take' })
  }
}

function showDiff({ err }: CommandContext, title: string, name: string, diff: string): void {
  err.line(plainText(fill(title, { name })))
  err.line(plainText(indent(diff.trimEnd())))
}
