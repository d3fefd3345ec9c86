import { expect, test } from 'vitest'
import { apiRoot } from '#workers/llm/domain/check-settings.ts'

const parse = (text: string) => URL.parse(text) ?? undefined
const atRoot = { versionPath: '', keepOwnPath: true }
const versioned = { versionPath: '/v1', keepOwnPath: false }
const free = { versionPath: '/v1', keepOwnPath: true }

test.each([
  ['https://api.openai.com/v1', versioned, 'https://api.openai.com/v1'],
  ['https://api.openai.com/v1/', versioned, 'https://api.openai.com/v1'],
  ['https://api.openai.com', versioned, 'https://api.openai.com/v1'],
  ['https://api.openai.com/', versioned, 'https://api.openai.com/v1'],
  [' https://api.openai.com/v1/chat/completions ', versioned, 'https://api.openai.com/v1'],
  ['https://api.deepseek.com', atRoot, 'https://api.deepseek.com'],
  ['https://api.deepseek.com/v1/', atRoot, 'https://api.deepseek.com/v1'],
  ['https://api.deepseek.com/beta', atRoot, 'https://api.deepseek.com/beta'],
  ['http://localhost:8000', free, 'http://localhost:8000/v1'],
  ['http://localhost:8000/v1', free, 'http://localhost:8000/v1'],
  ['https://api.groq.com/openai/v1', free, 'https://api.groq.com/openai/v1'],
  ['https://open.example.cn/api/paas/v4/', free, 'https://open.example.cn/api/paas/v4'],
  ['https://gateway.example/v1beta/openai', free, 'https://gateway.example/v1beta/openai'],
] as const)('%s is the root %s', (given, rule, root) => {
  expect(apiRoot(given, rule, parse)).toEqual({ root, search: '' })
})

test('a query stays with every request', () => {
  expect(apiRoot('https://x.example/openai?api-version=1', free, parse)).toEqual({
    root: 'https://x.example/openai',
    search: '?api-version=1',
  })
})

test.each(['', 'localhost:8000', 'ftp://x', 'not a url', 'file:///etc/passwd'])('%j is none', (given) => {
  expect(apiRoot(given, free, parse)).toBeUndefined()
})
