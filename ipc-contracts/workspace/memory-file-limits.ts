/** So much of MEMORY.md is sent: the context worker cuts there, and storage counts what is behind it as not said. */
export const SENT_OF_MEMORY_FILE = { lines: 200, bytes: 25_000, tokens: 4_000 } as const
