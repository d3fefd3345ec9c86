export const side = {
  newSession: 'New session',
  openFolder: 'Open folder…',
  sessions: 'Sessions',
  settings: 'Settings',
  nextNeedsYou: 'Next that needs you',
  empty: 'No sessions yet.',
  emptyAction: 'Start one',
  noFolder: 'No folder is open.',
  readOnly: 'read only',
  unread: 'unread',
}
