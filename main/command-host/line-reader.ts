/** Bytes → lines of UTF-8 text, with a bound on one line. */

/**
 * Returns a function to feed chunks to. `onLine` gets each line without its `\n`; `onTooLong` is
 * called once when a line exceeds `limit` bytes, after which everything is ignored.
 */
export function createLineReader(limit: number, onLine: (line: string) => void, onTooLong: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let dead = false
  return (chunk) => {
    let start = 0
    while (!dead) {
      const end = chunk.indexOf(10, start)
      const piece = chunk.subarray(start, end < 0 ? chunk.length : end)
      size += piece.length
      if (size > limit) {
        dead = true
        return onTooLong()
      }
      if (end < 0) {
        if (piece.length > 0) parts.push(piece)
        return
      }
      const line = parts.length === 0 ? piece.toString('utf8') : Buffer.concat([...parts, piece]).toString('utf8')
      parts = []
      size = 0
      start = end + 1
      onLine(line)
    }
  }
}
