import type { Messages } from '../en/index.ts'

export const message: Messages['message'] = {
  interrupted: '已中断',
  imageNotLoaded: '图片没有载入：{alt}',
  copyCode: '复制代码',
}
