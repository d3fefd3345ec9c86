export const timing = {
  none: 'No traces yet. They are written after each request, unless that is turned off.',
  iteration: 'Turn {turn}, request {iteration}',
  context: 'Context',
  queue: 'Waiting',
  model: 'Model',
  approval: 'You',
  name: 'Span',
  start: 'Began after',
  file: 'File',
  error: 'Failure',
}
