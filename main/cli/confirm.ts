/** A yes or no at the terminal; anything but a yes is a no. */
import { createInterface } from 'node:readline/promises'

export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return ['y', 'yes', '是'].includes((await terminal.question(question)).trim().toLowerCase())
  } finally {
    terminal.close()
  }
}
