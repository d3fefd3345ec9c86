/** The beginning of a text on one line: enough to tell the buttons of a list apart by what they are about. */
export function shortOf(text: string): string {
  return [...text.replace(/\s+/g, ' ')].slice(0, 80).join('')
}
