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
