export const todo = {
  title: 'Steps',
  pending: 'Open',
  in_progress: 'In progress',
  done: 'Done',
  cancelled: 'Dropped',
  none: 'The model keeps no list of steps in this session.',
  count: '{done} of {total} done',
}
