import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { MetonaErrorCode } from '#contracts/metona/metona-response.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { UsageError } from '#main/cli/arguments.ts'
import { errorEntry, ERROR_TABLE } from '#main/cli/error-table.ts'
import { explainError, explainTurnError } from '#main/cli/explain-error.ts'
import { messagesEn } from '#main/cli/messages-en.ts'
import { messagesZh } from '#main/cli/messages-zh.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
const english = { language: 'en', text: messagesEn } as const
const chinese = { language: 'zh', text: messagesZh } as const

/** Codes that no terminal command can meet: they are answers within the app, or belong to the window. */
const NEVER_SHOWN = [
  'APPROVAL_GONE',
  'APPROVAL_MISMATCH',
  'USER_STOPPED',
  'STOPPED',
  'DEADLINE',
  'NOTHING_TO_COMPACT',
  'MESSAGE_NOT_FOUND',
  'WORKSPACE_NOT_OPEN',
  'NOT_OPEN',
  'NOT_AVAILABLE',
  'SQLITE_TOO_OLD',
  // Answers to a tool server that asked for the session's model.
  'SPENDING_LIMIT',
  'MODEL_FAILED',
]

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts')).map((entry) => path.join(entry.parentPath, entry.name))
}

test('every code that the session and storage workers throw has a sentence of its own', async () => {
  const codes = new Set<string>()
  for (const file of [...(await sources('workers/session')), ...(await sources('workers/storage')), ...(await sources('main/host'))]) {
    for (const [, code] of (await readFile(file, 'utf8')).matchAll(/new AppError\(\{\s*code: '([A-Z_]+)'/g)) codes.add(code as string)
  }
  expect(codes.size).toBeGreaterThan(15)
  const internal = errorEntry('INTERNAL')
  expect([...codes].filter((code) => errorEntry(code) === internal && code !== 'INTERNAL' && !NEVER_SHOWN.includes(code))).toEqual([])
})

test('every error code of the standard has a sentence of its own', () => {
  expect(Object.values(MetonaErrorCode).filter((code) => ERROR_TABLE[code] === undefined)).toEqual([])
})

test('a folder that trust for one run does not open is not said to need it', () => {
  const { text } = explainError(new AppError({ code: 'UNTRUSTED', message: 'x', params: { path: '/', kind: 'root' } }), english)
  expect([text.includes('--trust'), text.includes('metona trust /')]).toEqual([false, true])
})

test('what happened, what it means, what to do', () => {
  const { text, exit } = explainError(
    new AppError({ code: 'UNTRUSTED', message: 'x', params: { path: '/w' }, details: { found: ['AGENTS.md', '.metona/agent.db'] } }),
    english,
  )
  expect({ text, exit }).toEqual({
    exit: 4,
    text: 'metona: /w is not trusted yet.\n  Files in a folder can tell an agent what to do, so nothing of it was read, and nothing was written. It holds AGENTS.md, .metona/agent.db.\n  Add --trust for this run, or run `metona trust /w` once.',
  })
})

test('the same in Chinese', () => {
  const { text } = explainError(
    new AppError({ code: 'MISSING_KEY', message: 'x', params: { provider: 'deepseek', variable: 'DEEPSEEK_API_KEY' } }),
    chinese,
  )
  expect(text).toBe('metona: 没有 deepseek 的密钥。\n  没有密钥，服务商会拒绝所有请求。\n  请设置环境变量 DEEPSEEK_API_KEY。')
})

test('the holder of a folder is named', () => {
  expect(explainError(new AppError({ code: 'WORKSPACE_IN_USE', message: 'x', params: { pid: 4711 } }), english)).toMatchObject({
    exit: 3,
    text: expect.stringContaining('another Metona (process 4711)'),
  })
})

test('a system error keeps its meaning', () => {
  expect(explainError(Object.assign(new Error('no space'), { code: 'ENOSPC' }), english)).toMatchObject({
    exit: 1,
    text: expect.stringContaining('The disk is full'),
  })
})

test('a code nobody knows is said to be ours, with the detail', () => {
  expect(explainError(new Error('boom\n  at x'), english)).toEqual({
    exit: 1,
    text: 'metona: Something went wrong inside Metona.\n  Please report it with the detail below.\n  detail: boom at x',
  })
})

test('a wrong word gets the nearest right one', () => {
  expect(explainError(new UsageError('UNKNOWN_COMMAND', { command: 'rum', known: 'run' }), english).text).toContain('Did you mean run?')
  expect(explainError(new UsageError('UNKNOWN_COMMAND', { command: 'zzz', known: '' }), english).text).not.toContain('Did you mean')
})

test('our own code says more than the standard’s, where it has a sentence', () => {
  const error = { code: 'auth_invalid', message: 'm', provider: 'DeepSeek', retryable: false } as const
  expect(explainTurnError({ ...error, providerCode: 'KEY_MALFORMED' }, english).text).toContain('a space, a line break')
  expect(explainTurnError({ ...error, providerCode: 'invalid_request_error' }, english).text).toContain('refused the key')
})
