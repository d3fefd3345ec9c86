export const frame = {
  side: 'Sessions',
  main: 'Conversation',
  inspector: 'Inspector',
  status: 'Status bar',
  toggleSide: 'Toggle sidebar',
  toggleInspector: 'Toggle inspector',
  theme: 'Switch theme',
  bottomBar: 'Navigation',
  waitingForYou: 'Nothing waits for you | 1 session waits for you | {value} sessions wait for you',
}
