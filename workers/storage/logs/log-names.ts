const SESSION_LOG = /^session_(s_[0-9a-z]{1,64})_(\d{8}T\d{6}Z)\.jsonl$/

export const WORKSPACE_LOG = 'workspace.jsonl'

/** Ids become file names, so their form is checked before anything else. */
export function isSessionId(sessionId: string): boolean {
  return /^s_[0-9a-z]{1,64}$/.test(sessionId)
}

/** `session_<id>_<YYYYMMDDTHHMMSSZ>.jsonl`, the time being that of the first event. */
export function sessionLogName(sessionId: string, firstTs: string): string {
  const time = Date.parse(firstTs)
  const compact = new Date(Number.isFinite(time) ? time : 0).toISOString().replace(/[-:]|\.\d+/g, '')
  return `session_${sessionId}_${compact}.jsonl`
}

export function parseSessionLogName(name: string): { sessionId: string; startedAt: string } | undefined {
  const match = SESSION_LOG.exec(name)
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  return { sessionId: match[1], startedAt: match[2] }
}
