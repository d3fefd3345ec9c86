import type { Messages } from '../en/index.ts'

export const thinking: Messages['thinking'] = {
  live: '思考中',
  done: '已思考 {duration}',
  short: '简短思考',
}
