export const state = {
  idle: 'New',
  thinking: 'Thinking',
  tool: 'Running tool',
  needs: 'Needs you',
  quota: 'Waiting for quota',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Interrupted',
}
