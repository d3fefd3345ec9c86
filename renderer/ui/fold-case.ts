/** Small letters for comparing, each code unit in its place: positions in the folded text are positions in the text itself. */
export function foldCase(text: string): string {
  const whole = text.toLowerCase()
  // Only a few letters have a longer small form; where one is, it stays as it is.
  if (whole.length === text.length) return whole
  let folded = ''
  for (const letter of text) {
    const small = letter.toLowerCase()
    folded += small.length === letter.length ? small : letter
  }
  return folded
}
