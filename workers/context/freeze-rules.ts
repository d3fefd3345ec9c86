/** AGENTS.md of folders below the root: read when a file there is touched, frozen with the result that touched it. */
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import { foldersOf, pathsOfResult } from './domain/folder-rules.ts'
import { messageKey } from './domain/message-text.ts'
import { promptTexts } from './domain/prompt-texts.ts'
import { cleanWorkspaceText, cutLines } from './domain/workspace-text.ts'
import type { SessionContext } from './session-context.ts'
import { readWorkspaceFile } from './workspace-files.ts'

/** Tokens of one file below the root. */
const MOST_TOKENS = 2_000
const MOST_FILES_A_BUILD = 8

/** @returns what was frozen now, by message id. */
export async function freezeFolderRules(session: SessionContext, input: BuildTask): Promise<{ messageId: string; turnContext: string }[]> {
  const frozen: { messageId: string; turnContext: string }[] = []
  const touched = input.touchedPaths ?? []
  let left = MOST_FILES_A_BUILD
  for (let index = input.from; index < session.history.length; index++) {
    const message = session.history[index]
    const key = message === undefined ? undefined : messageKey(message)
    if (message?.toolResult === undefined || key === undefined || session.turnContexts.has(key)) continue
    if (message.turnContext !== undefined) {
      session.turnContexts.set(key, message.turnContext)
      for (const match of message.turnContext.matchAll(/^<folder_rules path="([^"]*)">$/gm)) session.folderRules.set(match[1] ?? '', key)
      continue
    }
    const last = index === session.history.length - 1
    const folders = [...pathsOfResult(message, session.history, index), ...(last ? touched : [])].flatMap((path) =>
      foldersOf(path, session.workspace),
    )
    const blocks: string[] = []
    for (const folder of new Set(folders)) {
      const file = `${folder}/AGENTS.md`
      if (left <= 0 || session.folderRules.has(file)) continue
      const text = await rulesOf(session, file)
      if (text === undefined) continue
      left--
      session.folderRules.set(file, key)
      blocks.push(`<folder_rules path="${file}">\n${text}\n</folder_rules>`)
    }
    if (blocks.length === 0) continue
    const turnContext = blocks.join('\n')
    session.turnContexts.set(key, turnContext)
    frozen.push({ messageId: key, turnContext })
  }
  return frozen
}

async function rulesOf(session: SessionContext, file: string): Promise<string | undefined> {
  const reading = await readWorkspaceFile(session.workspace, file)
  if (reading.kind !== 'text') return undefined
  const texts = promptTexts[session.frozen?.language ?? 'en']
  const { text, linesCut } = cutLines(cleanWorkspaceText(reading.text, 'AGENTS.md'), MOST_TOKENS, Infinity, Infinity)
  if (text === '') return undefined
  return `${texts.folderRules(file)}\n${text.replaceAll('</folder_rules>', '<\\/folder_rules>')}${linesCut === 0 ? '' : `\n${texts.cutForModel(file, linesCut)}`}`
}
