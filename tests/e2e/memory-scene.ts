/** A folder in which something is remembered, for the pictures of the memory page. */
import type { MemoryEntry } from '#contracts/metona/memory-entry.ts'
import type { ScriptedHost } from '../helpers/scripted-host.ts'
import { busyHost, NOW, type SceneOptions } from './screenshot-scenes.ts'

const DAY = 86_400_000
const at = (days: number): number => NOW.getTime() - days * DAY
const base = { importance: 0.5, pinned: false } as const

const items = (zh: boolean): MemoryEntry[] => [
  {
    ...base,
    id: 'mem_pin',
    type: 'semantic',
    source: 'user_input',
    content: zh ? '用户喜欢简洁的回答，不要客套。' : 'Answers should be short, without courtesies.',
    pinned: true,
    createdAt: at(40),
    updatedAt: at(40),
  },
  {
    ...base,
    id: 'mem_port',
    type: 'semantic',
    source: 'agent_thought',
    content: zh ? '测试环境在 nginx 之后，端口是 8443。' : 'Staging lives behind nginx at port 8443.',
    createdAt: at(12),
    updatedAt: at(12),
  },
  {
    ...base,
    id: 'mem_failed',
    type: 'episodic',
    source: 'tool_result',
    content: zh ? '退款迁移在第三批失败，原因是时区。' : 'The refund migration failed in batch three because of a time zone.',
    summary: zh ? '退款迁移失败：时区' : 'refund migration failed: time zone',
    createdAt: at(3),
    updatedAt: at(3),
  },
  {
    ...base,
    id: 'mem_now',
    type: 'working',
    source: 'agent_thought',
    content: zh ? '还要检查 checkout.spec.ts。' : 'checkout.spec.ts is still to be checked.',
    sessionId: 's_tests',
    createdAt: at(0),
    updatedAt: at(0),
    expiresAt: at(-14),
  },
]

export function memoryHost(options: SceneOptions): ScriptedHost {
  const host = busyHost(options)
  const zh = options.language === 'zh-CN'
  const list = items(zh)
  host.answer('memory.list', ({ offset }) => ({ items: offset === 0 ? list : [], total: 128 }))
  host.answer('memory.search', () => ({
    hits: list.slice(1, 2).map((item) => ({ ...item, relevanceScore: 0.61, words: zh ? ['端口'] : ['port'] })),
  }))
  host.answer('memory.recalls', () => ({
    recalls: [
      {
        sessionId: 's_tests',
        seq: 12,
        turn: 2,
        score: 0.61,
        words: zh ? ['测试', '端口'] : ['staging', 'port'],
        ts: new Date(at(1)).toISOString(),
      },
      { sessionId: 's_images', seq: 3, turn: 1, score: 0, words: [], ts: new Date(at(2)).toISOString() },
    ],
    total: 2,
  }))
  host.answer('memory.file', () => ({
    state: 'ready',
    version: '1.0',
    sections: [
      {
        section: 'preferences',
        heading: '用户偏好',
        items: [{ line: 11, text: zh ? '[工具偏好] 使用 pnpm 而非 npm' : '[tools] pnpm, not npm', valid: true }],
      },
      {
        section: 'todo',
        heading: '待办事项',
        items: [{ line: 24, text: zh ? '[pending] 实现动态加载' : '[pending] dynamic loading', valid: true, status: 'pending' }],
      },
    ],
    problems: [{ line: 19, code: 'bad_date', text: '- 2026-02-30: x', expected: '- YYYY-MM-DD: 决策内容' }],
  }))
  return host
}
