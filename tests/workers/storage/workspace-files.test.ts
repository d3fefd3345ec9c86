import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'

let storage: TestStorage
beforeEach(() => {
  storage = openStorage()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

/** Headings the architecture document prints for each file. */
const HEADINGS: Record<string, string[]> = {
  'SOUL.md': ['## 身份', '## 性格与语气', '## 核心价值观'],
  'AGENTS.md': ['## 行为准则', '## 工具使用规范', '## 安全边界', '## 工作流程'],
  'MEMORY.md': ['## 用户偏好', '## 项目上下文', '## 重要决策', '## 待办事项', '## 已知问题'],
  'USERS.md': ['## 基本信息', '## 技术栈', '## 偏好', '## 当前目标'],
}

describe('the files of a workspace', () => {
  it.each(['zh', 'en'] as const)('are made with the headings of the document (%s)', async (language) => {
    const opened = await storage.service.openWorkspace({ path: storage.folder, trust: 'once', mode: 'write', waitMs: 0, language })
    expect(opened.created).toEqual(Object.keys(HEADINGS))
    for (const [name, headings] of Object.entries(HEADINGS)) {
      const lines = readFileSync(join(storage.folder, name), 'utf8').split('\n')
      expect(lines.filter((line) => line.startsWith('## ')).map((line) => line.replace(/ \(.*/, ''))).toEqual(headings)
    }
    expect(readFileSync(join(storage.folder, 'MEMORY.md'), 'utf8')).toMatch(
      new RegExp(
        `^# MEMORY.md — AI 持久记忆\n#\n# 格式版本: 1.0\n# 创建时间: [-0-9T:.]+Z\n# 最后更新: [-0-9T:.]+Z\n# 工作空间: ${storage.folder}\n`,
      ),
    )
  })

  it('are never written over, nor through a link', async () => {
    writeFileSync(join(storage.folder, 'SOUL.md'), 'mine')
    symlinkSync(join(storage.base, 'outside.md'), join(storage.folder, 'AGENTS.md'))
    const opened = await storage.open()
    expect(opened.created).toEqual(['MEMORY.md', 'USERS.md'])
    expect(readFileSync(join(storage.folder, 'SOUL.md'), 'utf8')).toBe('mine')
    expect(existsSync(join(storage.base, 'outside.md'))).toBe(false)
  })

  it('are announced once', async () => {
    await storage.open()
    await storage.close()
    storage = storage.again()
    expect((await storage.open()).created).toEqual([])
  })

  it('stay out of version control: own folders ignore themselves', async () => {
    await storage.open()
    for (const folder of ['.metona', 'logs', 'traces']) expect(readFileSync(join(storage.folder, folder, '.gitignore'), 'utf8')).toBe('*\n')
  })

  it('leave a logs folder with foreign files alone and use the private exclude file', async () => {
    mkdirSync(join(storage.folder, 'logs'))
    writeFileSync(join(storage.folder, 'logs', 'server.log'), 'x')
    mkdirSync(join(storage.folder, '.git', 'info'), { recursive: true })
    writeFileSync(join(storage.folder, '.git', 'info', 'exclude'), '# mine\n*.bak')
    await storage.open()
    expect(existsSync(join(storage.folder, 'logs', '.gitignore'))).toBe(false)
    expect(readFileSync(join(storage.folder, '.git', 'info', 'exclude'), 'utf8')).toBe(
      '# mine\n*.bak\n/logs/session_s_*.jsonl\n/logs/workspace.jsonl\n/traces/trace_s_*.json\n',
    )
    await storage.close()
    storage = storage.again()
    await storage.open()
    expect(readFileSync(join(storage.folder, '.git', 'info', 'exclude'), 'utf8').match(/workspace\.jsonl/g)).toHaveLength(1)
  })
})

describe('before trust', () => {
  it('nothing is written or read', async () => {
    await expect(storage.service.openWorkspace({ path: storage.folder, trust: 'stored', mode: 'write', waitMs: 0 })).rejects.toMatchObject({
      code: 'UNTRUSTED',
      params: { path: storage.folder },
    })
    expect(readdirSync(storage.folder)).toEqual([])
  })

  it('a stored trust opens, by the real path', async () => {
    symlinkSync(storage.folder, join(storage.base, 'link'))
    await storage.service.trustAdd({ path: join(storage.base, 'link') })
    expect((await storage.service.trustList({})).entries.map((entry) => entry.path)).toEqual([storage.folder])
    expect(
      (await storage.service.openWorkspace({ path: join(storage.base, 'link'), trust: 'stored', mode: 'write', waitMs: 0 })).workspace,
    ).toBe(storage.folder)
    expect((await storage.service.trustRemove({ path: storage.folder })).removed).toBe(true)
  })

  it('what is no folder is said to be none', async () => {
    writeFileSync(join(storage.base, 'file'), '')
    for (const path of [join(storage.base, 'file'), join(storage.base, 'nowhere')]) {
      await expect(storage.service.openWorkspace({ path, trust: 'once', mode: 'write', waitMs: 0 })).rejects.toMatchObject({
        code: 'NOT_A_FOLDER',
      })
    }
  })

  it('the root folder needs stored trust', async () => {
    await expect(storage.service.openWorkspace({ path: '/', trust: 'once', mode: 'write', waitMs: 0 })).rejects.toMatchObject({
      code: 'NEEDS_STORED_TRUST',
    })
  })

  it('the home folder and what it lies in need stored trust', async () => {
    const home = process.env.HOME
    mkdirSync(join(storage.base, 'homes', 'me'), { recursive: true })
    process.env.HOME = join(storage.base, 'homes', 'me')
    try {
      for (const path of [join(storage.base, 'homes', 'me'), join(storage.base, 'homes')]) {
        await expect(storage.service.openWorkspace({ path, trust: 'once', mode: 'write', waitMs: 0 })).rejects.toMatchObject({
          code: 'NEEDS_STORED_TRUST',
          params: { kind: 'home' },
        })
        expect(readdirSync(path).filter((name) => name !== 'me')).toEqual([])
      }
    } finally {
      process.env.HOME = home
    }
  })
})

describe('a hostile folder', () => {
  it.each(['.metona', 'logs', 'traces'])('whose %s is a link is refused', async (name) => {
    mkdirSync(join(storage.base, 'outside'))
    symlinkSync(join(storage.base, 'outside'), join(storage.folder, name))
    await expect(storage.open()).rejects.toMatchObject({ code: 'UNSAFE_WORKSPACE' })
    expect(readdirSync(join(storage.base, 'outside'))).toEqual([])
  })

  it('whose database is a link is refused', async () => {
    mkdirSync(join(storage.folder, '.metona'))
    symlinkSync(join(storage.base, 'victim.db'), join(storage.folder, '.metona', 'agent.db'))
    await expect(storage.open()).rejects.toMatchObject({ code: 'UNSAFE_WORKSPACE' })
    expect(existsSync(join(storage.base, 'victim.db'))).toBe(false)
  })

  it('whose log is a link loses the link, not what it points to', async () => {
    writeFileSync(join(storage.base, 'victim.txt'), 'keep me')
    mkdirSync(join(storage.folder, 'logs'))
    const name = 'session_s_evil_20260625T120000Z.jsonl'
    symlinkSync(join(storage.base, 'victim.txt'), join(storage.folder, 'logs', name))
    const opened = await storage.open()
    expect(opened.banners.map((banner) => banner.code)).toContain('LOG_UNSAFE')
    expect(readFileSync(join(storage.base, 'victim.txt'), 'utf8')).toBe('keep me')
    expect(lstatSync(join(storage.folder, 'logs', name), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('cannot hold the lock by what a file contains', async () => {
    mkdirSync(join(storage.folder, '.metona'))
    writeFileSync(join(storage.folder, '.metona', 'writer.lock'), JSON.stringify({ pid: 1, host: 'x', startTime: '', since: '' }))
    expect((await storage.open()).readOnly).toBe(false)
    expect(statSync(join(storage.folder, '.metona', 'writer.lock')).size).toBe(0)
  })
})
