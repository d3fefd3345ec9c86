/** Every question that waits, of all sessions, and word of a new one to somebody who looks elsewhere. */
import type { WaitingApproval } from '#contracts/session/inspect-commands.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { useConnectionStore } from './connection.ts'
import { useNativeStore } from './native.ts'
import { useSessionsStore } from './sessions.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useApprovalsStore = defineStore('approvals', () => {
  const connection = useConnectionStore()
  const sessions = useSessionsStore()
  const native = useNativeStore()
  const waiting = shallowRef<readonly WaitingApproval[]>([])
  const problem = shallowRef<Problem>()
  /** Title and body of a notification, in the language in force; set by the page. */
  let words: ((waiting: WaitingApproval) => { title: string; body: string }) | undefined
  const told = new Set<string>()

  connection.onReady(load)
  // A row changes with each question that comes and goes.
  const marks = computed(() => sessions.needsYou.map((row) => `${row.sessionId} ${row.since} ${row.lastSeq}`).join())
  watch(marks, load)

  async function load(): Promise<void> {
    if (!connection.isOpen) return
    try {
      waiting.value = (await connection.call('inspect.approvals', {})).waiting
      problem.value = undefined
      tell()
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  /** Once a question, and only to a page nobody looks at. */
  function tell(): void {
    for (const question of waiting.value) {
      const { toolCallId } = question.approval
      if (told.has(toolCallId)) continue
      told.add(toolCallId)
      if (!connection.visible && words !== undefined) void native.notify({ ...words(question), sessionId: question.sessionId })
    }
  }

  function useWords(say: NonNullable<typeof words>): void {
    words = say
  }

  return { waiting, problem, load, useWords }
})
