export const changes = {
  none: 'This session changed no files that can be taken back.',
  count: '{value} changes | {value} change | {value} changes',
  turn: 'Turn {value}',
  earlier: 'Earlier',
  created: 'new',
  undo: 'Undo',
  undoTurn: 'Undo turn',
  undoAll: 'Undo all',
  busy: 'Changes can be taken back when the turn has ended.',
  noDiff: 'What changed is not kept for showing.',
  restored: 'No file was taken back. | 1 file was taken back. | {value} files were taken back.',
}
