export const log = {
  none: 'No lines yet.',
  earlier: 'Show earlier lines',
  copy: 'Copy line',
}
