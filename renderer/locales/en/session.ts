export const session = {
  untitled: 'Untitled session',
  you: 'You',
  steered: 'sent while it ran',
  showEarlier: 'Show {value} earlier',
  toLatest: 'To the latest',
  transcript: 'Conversation',
  empty: 'What should be done?',
  emptyHint: 'Metona reads and changes files in {folder} and asks before it acts.',
  loading: 'Opening the session',
  notOpened: 'The session could not be opened.',
  attachedImage: 'Attached image {value}',
  copyMessage: 'Copy message',
}
