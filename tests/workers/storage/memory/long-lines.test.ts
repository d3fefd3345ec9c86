/** What a folder brings along is read on the thread of all folders: a line made to be slow must not hold it. */
import { expect, test } from 'vitest'
import { parseMemory, readDocument } from '#workers/storage/domain/memory-document.ts'
import { isSecretText } from '#workers/storage/domain/secret-text.ts'
import { withoutMarks } from '#workers/context/domain/own-marks.ts'

/** At a cost that grows with its square this takes minutes. */
const BLANKS = ' '.repeat(400_000)
const LIMIT = { timeout: 10_000 }

test.each([
  ['an item', `## 用户偏好\n- [a] x${BLANKS}y\n`],
  ['an item without text', `## 用户偏好\n-${BLANKS}y\n`],
  ['a header', `# 最后更新: a${BLANKS}b\n`],
  ['a heading', `##${BLANKS}用户偏好${BLANKS}x\n`],
])('%s with many blanks in it', LIMIT, (_name, text) => {
  expect(readDocument(parseMemory(text)).sections.length).toBeLessThan(2)
})

test.each(['password is', 'password', 'api key is', '密码是', 'token:', 'password ====', 'Authorization: Basic', 'password="'])(
  '“%s” and many blanks',
  LIMIT,
  (text) => {
    expect(isSecretText(`${text}${BLANKS}x`)).toBe(false)
  },
)

test.each(['<', '< /', '</'])('“%s” and many blanks before no mark', LIMIT, (text) => {
  expect(withoutMarks(`${text}${BLANKS}x`, 'context', 'summary')).toBe(`${text}${BLANKS}x`)
})
