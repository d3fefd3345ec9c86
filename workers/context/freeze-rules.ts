/** AGENTS.md of folders below the root: read when a file there is touched, frozen with the result that touched it. */
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { foldersOf, pathsOfResult } from './domain/folder-rules.ts'
import { messageKey } from './domain/message-text.ts'
import { ownMarks, withoutMarks } from './domain/own-marks.ts'
import { promptTexts } from './domain/prompt-texts.ts'
import { cleanWorkspaceText, cutLines } from './domain/workspace-text.ts'
import type { SessionContext } from './session-context.ts'

/** Tokens of one file below the root. */
const MOST_TOKENS = 2_000
const MOST_FILES_A_BUILD = 8

/** Files that results new in this build bring in, in their order. */
export function folderFiles(session: SessionContext, input: BuildTask): string[] {
  const files: string[] = []
  for (let index = input.from; index < session.history.length; index++) {
    const message = session.history[index]
    const key = message === undefined ? undefined : messageKey(message)
    if (message?.toolResult === undefined || key === undefined || session.turnContexts.has(key) || message.turnContext !== undefined)
      continue
    files.push(...filesOf(session, input, message, index))
  }
  return [...new Set(files)]
}

/** @returns what was frozen now, by message id. */
export function freezeFolderRules(session: SessionContext, input: BuildTask): { messageId: string; turnContext: string }[] {
  const frozen: { messageId: string; turnContext: string }[] = []
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
    const blocks: string[] = []
    for (const file of filesOf(session, input, message, index)) {
      if (left <= 0) continue
      const text = rulesOf(session, file)
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

function filesOf(session: SessionContext, input: BuildTask, message: MetonaMessage, index: number): string[] {
  const touched = index === session.history.length - 1 ? (input.touchedPaths ?? []) : []
  const folders = [...pathsOfResult(message, session.history, index), ...touched].flatMap((path) => foldersOf(path, session.workspace))
  return [...new Set(folders)].map((folder) => `${folder}/AGENTS.md`).filter((file) => !session.folderRules.has(file))
}

function rulesOf(session: SessionContext, file: string): string | undefined {
  const agreed = session.files.agreed(file)
  if (agreed === undefined) return undefined
  const texts = promptTexts[session.frozen?.language ?? 'en']
  const { text, linesCut } = cutLines(cleanWorkspaceText(agreed.text, 'AGENTS.md'), MOST_TOKENS, Infinity, Infinity)
  if (text === '') return undefined
  return `${texts.folderRules(file)}\n${withoutMarks(text, ...ownMarks)}${linesCut === 0 ? '' : `\n${texts.cutForModel(file, linesCut)}`}`
}
