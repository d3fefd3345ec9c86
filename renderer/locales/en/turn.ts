export const turn = {
  completed: 'Done',
  aborted: 'Interrupted by you',
  failed: 'Failed',
  limit_reached: 'Limit reached',
  interrupted: 'Interrupted',
  interruptedHint: 'The app or a worker went while this ran. What was shown is kept; nothing is run again.',
  resume: 'Resume',
  retry: 'Retry',
  fixKey: 'Open settings',
}
