/** Every shortcut that exists, as the shortcuts page lists them. `app/use-shortcuts.ts` acts on them. */
import { newSessionKeys, type KeyName } from './platform.ts'
import type { Messages } from '#renderer/locales/en/index.ts'

export const keyMap: readonly { readonly does: keyof Messages['keys']; readonly keys: readonly (readonly KeyName[])[] }[] = [
  { does: 'palette', keys: [['Mod', 'K']] },
  { does: 'searchAll', keys: [['Mod', 'Shift', 'F']] },
  { does: 'newSession', keys: [newSessionKeys] },
  { does: 'toggleSide', keys: [['Mod', 'B']] },
  { does: 'toggleInspector', keys: [['Mod', 'I']] },
  { does: 'nthSession', keys: [['Mod', '1…9']] },
  { does: 'nextNeedsYou', keys: [['Mod', 'Shift', 'J']] },
  { does: 'stop', keys: [['Mod', '.']] },
  { does: 'send', keys: [['Enter']] },
  { does: 'newLine', keys: [['Shift', 'Enter']] },
  { does: 'steer', keys: [['Mod', 'Enter']] },
  { does: 'allow', keys: [['Enter']] },
  { does: 'deny', keys: [['D']] },
  {
    does: 'message',
    keys: [
      ['Alt', '↑'],
      ['Alt', '↓'],
    ],
  },
  { does: 'find', keys: [['Mod', 'F']] },
  { does: 'pane', keys: [['F6']] },
  { does: 'renameSession', keys: [['F2']] },
  { does: 'deleteSession', keys: [['Del']] },
  { does: 'sessionMenu', keys: [['Shift', 'F10']] },
  { does: 'settings', keys: [['Mod', ',']] },
  { does: 'shortcuts', keys: [['Mod', '/']] },
]
