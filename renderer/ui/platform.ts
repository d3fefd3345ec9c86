/** Which modifier key the person's machine has. */
export const isMac: boolean = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)

/** A browser tab keeps some keys for itself; a desktop window keeps none. */
export const isBrowserTab: boolean = typeof window === 'undefined' || !('metona' in window)

export type KeyName = 'Mod' | 'Shift' | 'Alt' | (string & {})

/** `['Mod', 'K']` → `Ctrl+K`, or `⌘K` on a Mac. */
export function keyLabel(keys: readonly KeyName[]): string {
  if (!isMac) return keys.map((key) => (key === 'Mod' ? 'Ctrl' : key)).join('+')
  const symbols: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '⏎' }
  return keys.map((key) => symbols[key] ?? key).join('')
}

export const isMod = (event: { readonly ctrlKey: boolean; readonly metaKey: boolean }): boolean => (isMac ? event.metaKey : event.ctrlKey)

/** `Mod+N` belongs to the browser in a tab, where no page can have it. */
export const newSessionKeys: readonly KeyName[] = isBrowserTab ? ['Alt', 'N'] : ['Mod', 'N']
