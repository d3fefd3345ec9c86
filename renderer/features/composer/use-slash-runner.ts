/** Carries out what was typed after `/`, and says what came of it. */
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import { PermissionModeSchema } from '#contracts/session/session-enums.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { useInspectStore } from '#renderer/stores/inspect.ts'
import { useNavigationStore } from '#renderer/stores/navigation.ts'
import { useSessionActionsStore } from '#renderer/stores/session-actions.ts'
import { useFormat } from '#renderer/ui/use-format.ts'
import { useI18n } from 'vue-i18n'
import type { SlashCommandName } from './slash-commands.ts'

export interface SlashHooks {
  chooseModel(reference: string): void
  chooseMode(mode: PermissionMode): void
  openModels(): void
  openModes(): void
  stop(): Promise<void>
}

/** @returns runs a command and resolves with a sentence for the person; rejects with what went wrong. */
export function useSlashRunner(
  hooks: SlashHooks,
): (name: SlashCommandName, argument: string, snapshot: SessionSnapshot | undefined) => Promise<string | undefined> {
  const { t } = useI18n()
  const format = useFormat()
  const actions = useSessionActionsStore()
  const inspect = useInspectStore()
  const navigation = useNavigationStore()

  async function compact(sessionId: string, instructions: string): Promise<string> {
    const { tokensBefore, tokensAfter } = await inspect.compact(sessionId, instructions)
    return t('command.compacted', { before: format.number(tokensBefore), after: format.number(tokensAfter) })
  }

  /** The files of the newest turn that changed any. */
  async function undo(snapshot: SessionSnapshot): Promise<string> {
    const changes = await inspect.changes(snapshot.sessionId)
    const last = Math.max(0, ...changes.map((change) => change.turn))
    const calls = [...new Set(changes.filter((change) => change.turn === last).map((change) => change.toolCallId))]
    if (calls.length === 0) return t('command.nothingToUndo')
    const { restored, refused } = await inspect.undo(snapshot.sessionId, calls)
    const done = t('command.undone', { value: restored.length, files: restored.map(({ path }) => path).join(', ') }, restored.length)
    const left = refused.map(({ path, reason }) => t('command.notUndone', { path, reason }))
    return [...(restored.length > 0 ? [done] : []), ...left].join(' ')
  }

  return async (name, argument, snapshot) => {
    switch (name) {
      case 'model':
        if (argument === '') hooks.openModels()
        else hooks.chooseModel(argument)
        return undefined
      case 'mode': {
        const mode = PermissionModeSchema.safeParse(argument)
        if (mode.success) hooks.chooseMode(mode.data)
        else hooks.openModes()
        return undefined
      }
      default:
    }
    if (snapshot === undefined) return undefined
    const { sessionId, workspace } = snapshot
    switch (name) {
      case 'goal':
        if (argument === '') return snapshot.taskGoal ? t('command.goalIs', { goal: snapshot.taskGoal }) : t('command.goalNone')
        await actions.update(sessionId, { taskGoal: argument })
        return t('command.goalSet', { goal: argument })
      case 'compact':
        return compact(sessionId, argument)
      case 'undo':
        return undo(snapshot)
      case 'retry':
        await actions.retry(sessionId)
        return undefined
      case 'fork':
        navigation.go({ page: 'session', sessionId: await actions.fork(workspace, sessionId, snapshot.lastSeq) })
        return undefined
      case 'clear':
        navigation.go({
          page: 'session',
          sessionId: await actions.create(workspace, { model: snapshot.model, permission: snapshot.permission }),
        })
        return undefined
      case 'stop':
        await hooks.stop()
        return undefined
    }
  }
}
