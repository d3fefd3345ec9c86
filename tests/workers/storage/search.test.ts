import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { numbered } from './session-script.ts'

let storage: TestStorage
const MESSAGES = [
  '请读取 data.csv 并分析内容',
  'The naïve approach fails for café menus',
  '数据库的性能优化建议：先建索引',
  'see workers/storage/open_database.ts line 42',
  '東京タワーへ行きたい',
  '서울의 날씨는 맑음',
  'Mixed 中文and English混排 text',
]

beforeAll(async () => {
  storage = openStorage()
  await storage.open()
  const events = MESSAGES.map((content, index) =>
    numbered(
      { event: 'user_message', messageId: `m_${index}`, content, turn: index + 1 },
      index + 1,
      's_find',
      `2026-06-25T12:00:0${index}.000Z`,
    ),
  )
  await storage.append([
    numbered({ event: 'session_start', workspace: '/w', title: 'finding', agentVersion: '1' }, 0, 's_find', '2026-06-25T12:00:00.000Z'),
    ...events,
  ])
})
afterAll(async () => {
  await storage.close()
  removeBase(storage.base)
})

const found = async (query: string): Promise<number[]> =>
  (await storage.service.searchMessages({ workspace: storage.folder, query, limit: 50 })).hits.map((hit) => hit.seq - 1)

describe('searchMessages', () => {
  it.each([
    ['分析', [0]],
    ['读取', [0]],
    ['性能优化', [2]],
    ['化建', [2]],
    ['容', [0]],
    ['性', [2]],
    ['混排', [6]],
    ['naive', [1]],
    ['CAFÉ', [1]],
    ['data.csv', [0]],
    ['open_database', [3]],
    ['datab', [3]],
    ['abase', []],
    ['タワー', [4]],
    ['날씨', [5]],
    ['approach menus', [1]],
    ['approach 分析', []],
    ['approach men', [1]],
    ['approac menus', []],
    ['内容 分', [0]],
    ['中文 english', [6]],
    ['"quoted', []],
    ['(', []],
    ['', []],
    ['AND OR NOT *', []],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  it('gives title, text around the word and time, newest first', async () => {
    const { hits } = await storage.service.searchMessages({ workspace: storage.folder, query: 'English', limit: 5 })
    expect(hits).toEqual([
      { sessionId: 's_find', seq: 7, title: 'finding', snippet: 'Mixed 中文and English混排 text', ts: '2026-06-25T12:00:06.000Z' },
    ])
    expect(await found('a')).toEqual([6, 1])
  })
})
