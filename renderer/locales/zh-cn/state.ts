import type { Messages } from '../en/index.ts'

export const state: Messages['state'] = {
  idle: '新会话',
  thinking: '思考中',
  tool: '运行工具',
  needs: '等你处理',
  quota: '等待配额',
  done: '完成',
  failed: '失败',
  stopped: '已中断',
}
