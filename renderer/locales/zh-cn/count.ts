import type { Messages } from '../en/index.ts'

export const count: Messages['count'] = {
  tokens: '{value} token',
  iterations: '{value} 次请求',
}
