/** The commands of the composer: what can be typed after `/`. Their texts are `command.<name>`. */
export const SLASH_COMMANDS = [
  { name: 'goal', argument: true, needsSession: true },
  { name: 'compact', argument: true, needsSession: true },
  { name: 'undo', argument: false, needsSession: true },
  { name: 'retry', argument: false, needsSession: true },
  { name: 'fork', argument: false, needsSession: true },
  { name: 'clear', argument: false, needsSession: true },
  { name: 'model', argument: true, needsSession: false },
  { name: 'mode', argument: true, needsSession: false },
  { name: 'stop', argument: false, needsSession: true },
] as const

export type SlashCommandName = (typeof SLASH_COMMANDS)[number]['name']

/** A whole message that is a command; anything else that begins with `/` is a message like any other. */
export function parseCommand(text: string, hasSession: boolean): { name: SlashCommandName; argument: string } | undefined {
  const [, name, rest] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  const command = SLASH_COMMANDS.find((known) => known.name === name)
  if (command === undefined || (command.needsSession && !hasSession)) return undefined
  const argument = (rest ?? '').trim()
  return argument !== '' && !command.argument ? undefined : { name: command.name, argument }
}

/**
 * A slip of the finger is not told to the model, and costs nothing; whoever means it sends it once more.
 * @returns the word that begins a message like a command and is none (a path has more than one part), the first time it is sent from a place
 */
export function holdBackSlips(): (place: string, text: string) => string | undefined {
  let heldBack: string | undefined
  return (place, text) => {
    const word = /^\/[a-z][\w-]*(?=\s|$)/i.exec(text.trim())?.[0]
    const held = `${place} ${text}`
    if (word === undefined || held === heldBack) {
      heldBack = undefined
      return undefined
    }
    heldBack = held
    return word
  }
}
