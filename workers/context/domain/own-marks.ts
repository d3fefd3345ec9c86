/**
 * The marks by which the model tells what the app says from what it passes on. They are ours alone: in text of files, pages,
 * commands, models and memories a backslash takes their meaning away, and the text stays readable.
 */
export const ownMarks = ['summary', 'user_message', 'context', 'folder_rules'] as const
export type OwnMark = (typeof ownMarks)[number]

export function withoutMarks(text: string, ...marks: readonly OwnMark[]): string {
  return text.replace(new RegExp(`<(\\s*(?:/\\s*)?)(?=(?:${marks.join('|')})\\b)`, 'gi'), '<\\$1')
}
