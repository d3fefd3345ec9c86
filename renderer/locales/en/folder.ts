export const folder = {
  none: 'No folder is open',
  title: 'Open a folder',
  lead: 'Sessions work inside one folder. Nothing in it is read before you trust it.',
  choose: 'Choose folder…',
  path: 'Path of the folder',
  pathHint: 'For example ~/projects/refunds or /home/me/projects/refunds',
  noDialog: 'A browser tab has no dialog for folders. Type the path below, or pick a recent one.',
  open: 'Open',
  opening: 'Opening',
  recent: 'Recent folders',
  notTrusted: 'not trusted',
  created: 'New in the folder: {files}',
}
