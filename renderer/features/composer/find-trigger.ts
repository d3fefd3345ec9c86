/** What is being typed at the caret: a command or a server's prompt at the very beginning, or a file after `@`. */
export interface Trigger {
  readonly kind: 'command' | 'file'
  readonly query: string
  /** Range of the text a choice replaces. */
  readonly from: number
  readonly to: number
}

/** Longer words are no file somebody is looking for. */
const LONGEST = 200

export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - LONGEST), caret)
  const offset = caret - before.length
  const command = offset === 0 ? /^\/([^\s/]*)$/.exec(before) : null
  if (command !== null) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret }
  // In an address the sign stands behind a letter.
  const file = /(^|[\s(（，。：])@([^\s@]*)$/.exec(before)
  if (file === null) return undefined
  const query = file[2] ?? ''
  return { kind: 'file', query, from: caret - query.length - 1, to: caret }
}
