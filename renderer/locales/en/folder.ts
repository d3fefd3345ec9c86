export const folder = {
  none: 'No folder is open',
  title: 'Open a folder',
  lead: 'Sessions work inside one folder. Nothing in it is read before you trust it.',
  choose: 'Choose folder…',
  path: 'Path of the folder',
  pathHint: 'For example /home/me/projects/refunds',
  open: 'Open',
  opening: 'Opening',
  recent: 'Recent folders',
  notTrusted: 'not trusted',
  created: 'New in the folder: {files}',
}
