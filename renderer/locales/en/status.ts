export const status = {
  good: 'All good',
  degraded: 'Degraded: {what}',
  connecting: 'Connecting',
  lost: 'Not connected',
  running: '{value} running',
  queue: '{provider}: {value} ahead',
  cost: 'Session {amount}',
  tokens: '{value} tokens',
  sandboxOn: 'Sandbox',
  sandboxOff: 'Sandbox off',
  noSandbox: 'No sandbox',
  offline: 'offline',
}
