import type { Messages } from '../en/index.ts'

export const time: Messages['time'] = {
  dayAndTime: '{day} {time}',
  milliseconds: '{value} 毫秒',
  seconds: '{value} 秒',
  yesterday: '昨天',
}
