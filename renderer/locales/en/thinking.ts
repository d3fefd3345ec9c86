export const thinking = {
  live: 'Thinking',
  done: 'Thought for {duration}',
  short: 'Thought briefly',
}
