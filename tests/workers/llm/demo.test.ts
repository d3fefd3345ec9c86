import { describe, expect, test } from 'vitest'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaResponse, MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import { fileIn, nextDemoStep } from '#workers/llm/adapters/demo-script.ts'
import { demoRate } from '#workers/llm/adapters/demo.adapter.ts'
import { adapterOn, byteTransport, requestFor } from './adapter-harness.ts'

const names = ['read_file', 'analyze_csv', 'list_directory', 'write_file', 'run_command']
const tools = names.map((name) => ({ name, description: name, parameters: { type: 'object' } }))

type Tool = (args: Record<string, unknown>) => { success?: boolean; result?: unknown; summary?: string; error?: string }

/** Plays a whole turn: what the demo asks for is answered by `run`. */
async function turn(
  prompt: string,
  run: Record<string, Tool>,
  offered = tools,
): Promise<{ answers: MetonaResponse[]; events: MetonaStreamEvent[]; calls: [string, Record<string, unknown>][]; text: string }> {
  const adapter = await adapterOn('demo', byteTransport({}))
  const messages: MetonaMessage[] = [{ role: 'user', content: prompt, timestamp: 1 }]
  const answers: MetonaResponse[] = []
  const events: MetonaStreamEvent[] = []
  const calls: [string, Record<string, unknown>][] = []
  for (let iteration = 1; iteration <= 6; iteration += 1) {
    const request: MetonaRequest = requestFor('scripted', { tools: offered, messages })
    const response = await adapter.sendStream(request, (event) => events.push(event))
    answers.push(response)
    if (response.finishReason !== 'tool_calls') return { answers, events, calls, text: response.content }
    messages.push({ role: 'assistant', content: response.content, timestamp: 1, toolCalls: response.toolCalls ?? [] })
    for (const call of response.toolCalls ?? []) {
      calls.push([call.name, call.args])
      const outcome = run[call.name]?.(call.args) ?? { success: false, error: 'no such tool' }
      messages.push({
        role: 'tool',
        content: '',
        timestamp: 1,
        toolResult: {
          toolCallId: call.id,
          toolName: call.name,
          result: outcome.result ?? null,
          success: outcome.success ?? true,
          durationMs: 1,
          timestamp: 1,
          ...(outcome.summary === undefined ? {} : { summary: outcome.summary }),
          ...(outcome.error === undefined ? {} : { error: outcome.error }),
        },
      })
    }
  }
  throw new Error('the demo never ends')
}

const csv = (rows: number, columns: string[]): Record<string, Tool> => ({
  read_file: () => ({ result: `${columns.join(',')}\n…` }),
  analyze_csv: () => ({ result: { rows, columns: columns.map((name) => ({ name, type: 'text' })) }, summary: `${rows} rows` }),
})

describe('a table', () => {
  test('is read, analysed, and reported with its true row count and columns', async () => {
    const { calls, text, answers, events } = await turn('读取 data.csv 并分析内容', csv(17, ['姓名', '城市', 'age']))
    expect(calls).toEqual([
      ['read_file', { file_path: 'data.csv' }],
      ['analyze_csv', { file_path: 'data.csv' }],
    ])
    expect(text).toContain('data.csv 共有 17 行数据、3 列：`姓名`、`城市`、`age`。')
    expect(answers[0]?.thinking?.content).not.toBe('')
    const order = events
      .slice(0, events.findIndex((event) => event.type === 'done') + 1)
      .map((event) => event.type)
      .filter((type, index, all) => type !== all[index - 1])
    expect(order).toEqual([
      'thinking_start',
      'reasoning_delta',
      'thinking_end',
      'tool_call_start',
      'tool_call_delta',
      'tool_call_complete',
      'usage',
      'done',
    ])
  })

  test('other contents give another answer', async () => {
    expect((await turn('读取 data.csv 并分析内容', csv(3, ['x']))).text).toContain('共有 3 行数据、1 列：`x`。')
  })

  test('is reported in the prompt’s language', async () => {
    expect((await turn('Read data.csv and analyse it', csv(1000, ['name', 'age']))).text).toContain(
      'data.csv has 1000 rows of data and 2 columns: `name`, `age`.',
    )
  })

  test('in an encoding that read_file refuses is analysed all the same', async () => {
    const { text } = await turn('读取 data.csv 并分析内容', {
      ...csv(17, ['a']),
      read_file: () => ({ success: false, error: 'the file is not UTF-8 text' }),
    })
    expect(text).toContain('共有 17 行数据')
  })

  test('that does not exist is looked for, and the answer says so', async () => {
    const { calls, text } = await turn('读取 data.csv 并分析内容', {
      read_file: () => ({ success: false, error: 'data.csv does not exist' }),
      list_directory: () => ({ result: 'other.csv' }),
    })
    expect([calls.map(([name]) => name), text.includes('data.csv does not exist'), text.includes('other.csv')]).toEqual([
      ['read_file', 'list_directory'],
      true,
      true,
    ])
  })
})

test('a refused call is reported as refused', async () => {
  const { text } = await turn('运行 `rm -rf /tmp/x`', { run_command: () => ({ success: false, error: 'denied by the permission mode' }) })
  expect(text).toContain('denied by the permission mode')
})

test('a command in backticks is run and its output shown', async () => {
  const { calls, text } = await turn('run `ls -l`', { run_command: () => ({ result: 'total 0' }) })
  expect([calls, text.includes('total 0')]).toEqual([[['run_command', { command: 'ls -l' }]], true])
})

test('a file to be written is written', async () => {
  const { calls } = await turn('创建 notes.txt，内容是“你好”', { write_file: () => ({ result: 'ok' }) })
  expect(calls).toEqual([['write_file', { file_path: 'notes.txt', content: '你好' }]])
})

test('any other prompt lists the folder and says that this is a demo', async () => {
  const { calls, text } = await turn('Hello', { list_directory: () => ({ result: 'data.csv\nREADME.md' }) })
  expect([calls, text.includes('no real language model'), text.includes('README.md')]).toEqual([
    [['list_directory', { path: '.' }]],
    true,
    true,
  ])
})

test('without tools it only explains itself', async () => {
  const { calls, text } = await turn('你好', {}, [])
  expect([calls, text.includes('演示模型')]).toEqual([[], true])
})

test('thoughts are shown only when they are asked for', async () => {
  const adapter = await adapterOn('demo', byteTransport({}))
  const response = await adapter.send(requestFor('scripted', { tools, params: { thinkingEnabled: false } }))
  expect(response.thinking).toBeUndefined()
})

test('another model name is refused', async () => {
  const adapter = await adapterOn('demo', byteTransport({}))
  expect((await adapter.send(requestFor('gpt'))).error?.code).toBe('model_not_found')
})

test.each([
  ['读取 data.csv 并分析内容', 'data.csv'],
  ['读取data.csv并分析', 'data.csv'],
  ['请帮我分析文件 /home/user/data.csv。', '/home/user/data.csv'],
  ['分析 销售数据.csv', '销售数据.csv'],
  ['Read "my data.csv" please', 'my data.csv'],
  ['What is in src/main.ts?', 'src/main.ts'],
  ['version 1.2.3 of it', undefined],
  ['see https://example.com/a.csv', undefined],
  ['hello', undefined],
])('the file named in %j is %j', (prompt, file) => {
  expect(fileIn(prompt)).toBe(file)
})

test.each([
  [undefined, 60],
  ['', 60],
  ['0', 0],
  ['1000', 1000],
  ['fast', 60],
  ['-1', 60],
])('METONA_DEMO_RATE=%j means %i pieces a second', (value, rate) => {
  expect(demoRate(value)).toBe(rate)
})

test('the script looks only at what came after the last prompt', () => {
  const old: MetonaMessage[] = [
    { role: 'user', content: '读取 data.csv', timestamp: 1 },
    {
      role: 'tool',
      content: '',
      timestamp: 1,
      toolResult: { toolCallId: 'tc_1', toolName: 'read_file', result: 'x', success: true, durationMs: 1, timestamp: 1 },
    },
    { role: 'user', content: '读取 other.csv', timestamp: 1 },
  ]
  expect(nextDemoStep(requestFor('scripted', { tools, messages: old })).call).toEqual({
    name: 'read_file',
    args: { file_path: 'other.csv' },
  })
})
