import { expect, test } from 'vitest'
import { messagesEn } from '#main/cli/messages-en.ts'
import { messagesZh } from '#main/cli/messages-zh.ts'
import { modelRow } from '#main/cli/model-row.ts'
import { createModelTable } from '#workers/llm/domain/model-table.ts'

const model = (provider: string, id: string): ReturnType<ReturnType<typeof createModelTable>['describe']>['model'] =>
  createModelTable().describe(provider, id).model

test('a line says what the model holds, can do and costs, with every price that is known', () => {
  expect(modelRow(model('deepseek', 'deepseek-v4-pro'), messagesEn)).toEqual([
    'deepseek/deepseek-v4-pro',
    'DeepSeek V4 Pro',
    '1,048,565',
    '393,216',
    'tools, thinking, json',
    '0.66 / 1.98 USD, cache hit 0.022, peak 1.32 / 3.96, as of 2026-11-30',
  ])
  expect(modelRow(model('openai', 'gpt-6-sol'), messagesZh).slice(4)).toEqual([
    '工具, 思考, 图片, JSON',
    '2 / 10 USD，缓存命中 0.2，缓存写入 2.5，提示超过 272,000：4 / 15，截至 2026-11-30',
  ])
})

test('an unknown price says so, a free model is free', () => {
  expect([modelRow(model('agnes', 'agnes-3.0-qwen'), messagesEn)[5], modelRow(model('agnes', 'agnes-3.0-qwen'), messagesZh)[5]]).toEqual([
    'unknown',
    '未知',
  ])
  expect([modelRow(model('agnes', 'agnes-2.5-flash'), messagesEn)[5], modelRow(model('ollama', 'qwen3:4b'), messagesZh)[5]]).toEqual([
    'free',
    '免费',
  ])
})
