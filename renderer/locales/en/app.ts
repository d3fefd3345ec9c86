export const app = {
  name: 'Metona',
  titleWith: '{title} · Metona',
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  copied: 'Copied',
  retry: 'Try again',
  loading: 'Loading',
  reload: 'Reload the page',
}
