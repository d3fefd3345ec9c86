/** What the person said survives compactions, whatever the summariser forgets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { HistoryMaker } from './make-history.ts'
import { makeWorkspace, SessionDriver, type Built } from './session-driver.ts'

const FACTS = [
  '端口必须是 48217',
  '不要改动 legacy/billing.ts',
  'ticket JIRA-8841',
  'use pnpm, never npm',
  '输出目录 /srv/out-7f3a',
  'commit author is Qin Lan',
  '单元测试覆盖率至少 83.5%',
  'API 前缀 /v7/internal',
  'cluster eu-west-9b',
  '金额用分，不用元',
  'region code XK',
  '截止日期是 2026-09-17',
  'schema version 41',
  '表名 t_ordr_hist',
  'timeout 7250 ms',
  '禁止使用 moment.js',
  'branch release/2026.6-rc4',
  'bucket s3://nl-archive-55',
  '时区 Asia/Urumqi',
  'hash prefix 9c1e44',
  '列名 客户等级',
  'retry 6 times',
  'feature flag dark_launch_77',
  '报表给王会计',
  'license header is SPDX MIT',
  'decimal places: 3',
  '只支持 Node 24',
  'queue name q.invoices.v3',
  'color #2f6b91',
  '错误码 E-5502',
]
const HEADINGS = ['Goal', 'Constraints and preferences', 'Progress', 'Decisions and reasons', 'Next steps', 'Identifiers', 'Files']
const FORGETFUL = HEADINGS.map((heading) => `## ${heading}\nnone`).join('\n')

let workspace: string
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ path: workspace, remove } = await makeWorkspace())
})
afterAll(() => remove())

interface Played {
  readonly last: Built
  readonly compactions: number
}

/** Ten facts a third of the session, each third ended by a compaction. */
async function play(seed: number, answer: { content: string } | undefined): Promise<Played> {
  const maker = new HistoryMaker(seed)
  const driver = new SessionDriver({ workspace, contextBudget: 60_000 })
  let compactions = 0
  for (let third = 0; third < 3; third++) {
    for (const fact of FACTS.slice(third * 10, third * 10 + 10)) {
      maker.user(`${maker.text(120)} ${fact}. ${maker.text(60)}`)
      maker.toolStep([3_000 + maker.below(6_000), 2_000])
      maker.assistant(maker.text(300))
      await driver.mustBuild(maker.messages)
    }
    const step = await driver.compact('manual', () => answer)
    if (step.kind === 'applied') compactions++
  }
  maker.user('carry on')
  return { last: await driver.mustBuild(maker.messages), compactions }
}

const lost = (request: MetonaRequest, view = (text: string): string => text): string[] => {
  const text = view(request.messages.map((message) => message.content).join('\n'))
  return FACTS.filter((fact) => !text.includes(fact))
}

describe('30 facts after three compactions', () => {
  test.each([
    ['a summariser that drops everything', { content: FORGETFUL }],
    ['a model that fails', undefined],
    ['a model that answers something else', { content: 'OK!' }],
  ])('are all there with %s', async (_name, answer) => {
    const { last, compactions } = await play(11, answer)
    expect({ lost: lost(last.request), compactions }).toEqual({ lost: [], compactions: 3 })
  })

  test('control: without the quoted messages most of them are lost', async () => {
    const { last } = await play(11, { content: FORGETFUL })
    expect(lost(last.request, (text) => text.replaceAll(/<user_message[\s\S]*?<\/user_message>/g, '')).length).toBeGreaterThan(20)
  })

  test('goal and to-do list are in the request after a compaction', async () => {
    const maker = new HistoryMaker(12)
    maker.user('start')
    maker.messages.push({
      role: 'assistant',
      content: '',
      id: 'a_todo',
      timestamp: 5,
      toolCalls: [
        {
          id: 'tc_todo',
          name: 'update_todo',
          args: {
            items: [
              { text: 'write the parser', status: 'done' },
              { text: 'measure the parser', status: 'in_progress' },
            ],
          },
          iteration: 1,
          timestamp: 5,
        },
      ],
    })
    for (let turn = 0; turn < 8; turn++) maker.toolStep([9_000])
    const driver = new SessionDriver({ workspace, contextBudget: 30_000 })
    await driver.mustBuild(maker.messages, { taskGoal: 'a parser twice as fast' })
    await driver.compact('manual', () => ({ content: FORGETFUL }))
    const text = JSON.stringify((await driver.mustBuild(maker.messages, { taskGoal: 'a parser twice as fast' })).request.messages)
    expect([text.includes('a parser twice as fast'), text.includes('measure the parser'), text.includes('write the parser')]).toEqual([
      true,
      true,
      false,
    ])
  })
})
