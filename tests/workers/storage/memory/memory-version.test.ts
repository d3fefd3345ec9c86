/** Files we must not write: of another format version, or in another encoding. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyOperation } from '#workers/storage/domain/memory-operations.ts'
import { checkMemoryDocument } from '#workers/storage/domain/check-memory-document.ts'
import { parseMemory, serializeMemory } from '#workers/storage/domain/memory-document.ts'
import { newBase, openStorage, removeBase } from '../open-storage.ts'

const place = { workspace: '/w', now: '2026-07-01T00:00:00.000Z' }
const file = (version: string): string => `# 格式版本: ${version}\n# 最后更新: 2026-01-01\n\n## 待办事项\n`
const write = (text: string): string =>
  serializeMemory(applyOperation(parseMemory(text), { kind: 'add', section: 'todo', text: '[pending] x' }, place))

describe('a format version', () => {
  it.each(['2', '2.0', '1.1', '1.0.1', 'v2.0', 'V1.0', '版本2', '２.０', '1.0 beta', '0.9', '10', '1.0-2', 'x'])(
    '%s is left alone, and named',
    (version) => {
      expect(() => write(file(version))).toThrow(expect.objectContaining({ code: 'MEMORY_READ_ONLY' }))
      const codes = checkMemoryDocument(parseMemory(file(version)), () => false).map(({ line, code }) => `${line} ${code}`)
      expect(codes.filter((code) => /version/.test(code)).length).toBe(1)
      expect(codes.some((code) => code.startsWith('1 '))).toBe(true)
    },
  )

  it.each(['1', '1.0', ' 1.0 ', '１.０', '１．０', ''])('"%s" is ours, and written', (version) => {
    expect(write(file(version))).toContain('- [pending] x\n')
    expect(checkMemoryDocument(parseMemory(file(version)), () => false).filter(({ code }) => code === 'newer_version')).toEqual([])
  })

  it('in a comment says nothing', () => {
    expect(write(`<!--\n# 格式版本: 9\n-->\n${file('1.0')}`)).toContain('- [pending] x\n')
  })
})

it('a file in another encoding is a problem to the check, not a file without any', async () => {
  const base = newBase()
  const storage = openStorage(base)
  await storage.open()
  writeFileSync(join(storage.folder, 'MEMORY.md'), Buffer.from([0x23, 0x20, 0xc4, 0xe3, 0xba, 0xc3, 10]))
  expect(await storage.service.memoryFileRead({ workspace: storage.folder })).toEqual({
    state: 'read_only',
    sections: [],
    problems: [{ line: 0, code: 'not_utf8', text: '' }],
  })
  await storage.close()
  removeBase(base)
})
