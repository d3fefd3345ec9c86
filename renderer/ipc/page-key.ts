/**
 * The second half of the web shell's secret. Cookies are sent to every port of this machine; what is kept here belongs to
 * this page's own origin, port included. The link from the terminal brings it once, behind the `#`.
 */

const STORED = 'metona.page-key'
const IN_ADDRESS = /^#key=([0-9a-f]{64})$/

interface KeyPlaces {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>
  readonly history: Pick<History, 'replaceState'>
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

/** Takes the key out of the address, where there is one. @returns undefined in a page that never had any. */
export function takePageKey({ location, history, storage }: KeyPlaces): string | undefined {
  const brought = IN_ADDRESS.exec(location.hash)?.[1]
  if (brought !== undefined) {
    storage.setItem(STORED, brought)
    history.replaceState(null, '', `${location.pathname}${location.search}`)
  }
  return storage.getItem(STORED) ?? undefined
}
