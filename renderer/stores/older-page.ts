/**
 * What pages of earlier versions kept in the browser's own storage, by the keys it has in the profile now: drafts, when a
 * session was last seen, open folders. Goes once the profile has it.
 */
import * as z from 'zod'
import { forget, recall } from './local-state.ts'

const Texts = z.record(z.string(), z.string())
/** Of thousands of marks only the newest matter: what nobody looked at since is not called unread without one. */
const MOST_MARKS = 500

const places: Readonly<Record<string, { key: string; read(): readonly (readonly [string, string])[] }>> = {
  'draft:': { key: 'drafts', read: () => Object.entries(recall('drafts', Texts) ?? {}) },
  'seen:': {
    key: 'seenSince',
    read: () =>
      Object.entries(recall('seenSince', Texts) ?? {})
        .toSorted(([, left], [, right]) => (left < right ? 1 : -1))
        .slice(0, MOST_MARKS),
  },
  workspaces: {
    key: 'workspaces',
    read: () => {
      const paths = recall('workspaces', z.array(z.string()))
      return paths === undefined ? [] : [['', JSON.stringify(paths)]]
    },
  },
}

/** Whole keys and values of what begins with `prefix`, one of the prefixes by which stores read. */
export function leftByOlderPage(prefix: string): readonly (readonly [string, string])[] {
  return (places[prefix]?.read() ?? []).filter(([, value]) => value !== '').map(([rest, value]) => [prefix + rest, value])
}

export function forgetOlderPage(prefix: string): void {
  const place = places[prefix]
  if (place !== undefined) forget(place.key)
}
