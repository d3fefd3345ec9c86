import { expect, test } from 'vitest'
import { approvalReasonText } from '#contracts/tools/approval-reasons.ts'

test('a reason is a sentence in each language, with its values and with the names of parts', () => {
  const reason = { code: 'command_unclear', params: { what: 'output' } }
  expect([approvalReasonText(reason, 'en'), approvalReasonText(reason, 'zh')]).toEqual([
    'what the command starts cannot be told beforehand: it holds output into a file',
    '无法预先判断命令会启动什么：其中有输出到文件',
  ])
  expect(approvalReasonText({ code: 'outside_workspace', params: { path: '/a {path} b' } }, 'en')).toBe(
    'it is outside the workspace: /a {path} b',
  )
})

test('what another version wrote is shown as it was written', () => {
  expect(approvalReasonText({ code: 'execute asks in ask mode' }, 'zh')).toBe('execute asks in ask mode')
  expect(approvalReasonText({ code: 'constructor', params: {} }, 'en')).toBe('constructor')
})
