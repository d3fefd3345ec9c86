/** What the palette offers for what was typed, in groups, best first. */
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import type { SearchHit } from '#renderer/stores/search.ts'
import type { Command } from '#renderer/ui/command.ts'
import { baseName } from '#renderer/ui/format.ts'
import { matches, wordsOf } from './match-words.ts'

export type PaletteItem =
  | { readonly kind: 'session'; readonly key: string; readonly row: SessionSummary }
  | { readonly kind: 'message'; readonly key: string; readonly hit: SearchHit }
  | { readonly kind: 'command'; readonly key: string; readonly command: Command }

export interface PaletteGroup {
  readonly name: 'sessions' | 'messages' | 'commands'
  readonly items: readonly PaletteItem[]
}

export interface PaletteSources {
  readonly query: string
  readonly mode: 'everything' | 'search'
  readonly sessions: readonly SessionSummary[]
  readonly hits: readonly SearchHit[]
  readonly commands: readonly Command[]
}

const SESSIONS = 8

/** A query that starts with `>` is for commands only. */
export function paletteGroups({ query, mode, sessions, hits, commands }: PaletteSources): PaletteGroup[] {
  const onlyCommands = mode === 'everything' && query.startsWith('>')
  const words = wordsOf(onlyCommands ? query.slice(1) : query)
  const groups: PaletteGroup[] = []
  if (!onlyCommands) {
    const rows = sessions.filter((row) => matches(`${row.title} ${baseName(row.workspace)}`, words)).slice(0, SESSIONS)
    groups.push({ name: 'sessions', items: rows.map((row) => ({ kind: 'session', key: `session ${row.sessionId}`, row })) })
    groups.push({
      name: 'messages',
      items: hits.map((hit) => ({ kind: 'message', key: `message ${hit.sessionId} ${hit.seq}`, hit })),
    })
  }
  if (mode === 'everything') {
    const found = commands.filter(({ label }) => matches(label, words))
    groups.push({ name: 'commands', items: found.map((command) => ({ kind: 'command', key: `command ${command.id}`, command })) })
  }
  return groups.filter((group) => group.items.length > 0)
}
