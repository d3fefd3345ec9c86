export const time = {
  dayAndTime: '{day}, {time}',
  milliseconds: '{value} ms',
  seconds: '{value} s',
  yesterday: 'Yesterday',
}
