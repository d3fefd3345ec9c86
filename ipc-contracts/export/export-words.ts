/** The few words an exported session needs, in both languages. */
export type ExportLanguage = 'en' | 'zh'

export interface ExportWords {
  readonly user: string
  readonly assistant: string
  readonly thinking: string
  readonly tool: string
  notice(message: string): string
  ended(reason: string): string
  from(sessionId: string, workspace: string): string
}

export const exportWords: Readonly<Record<ExportLanguage, ExportWords>> = {
  en: {
    user: 'You',
    assistant: 'Assistant',
    thinking: 'Thinking',
    tool: 'Tool',
    notice: (message) => `note: ${message}`,
    ended: (reason) => `ended: ${reason}`,
    from: (sessionId, workspace) => `Exported from Metona, session ${sessionId}, ${workspace}`,
  },
  zh: {
    user: '你',
    assistant: '助手',
    thinking: '思考',
    tool: '工具',
    notice: (message) => `提示：${message}`,
    ended: (reason) => `结束：${reason}`,
    from: (sessionId, workspace) => `由 Metona 导出，会话 ${sessionId}，${workspace}`,
  },
}
