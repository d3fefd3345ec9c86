export const toolStatus = {
  proposed: 'Queued',
  awaiting_approval: 'Needs you',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  denied: 'Denied',
  aborted: 'Stopped',
  unknown: 'Result unknown',
}
