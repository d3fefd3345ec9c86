import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { trustFacts } from '#workers/storage/folders/trust-facts.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'metona-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('an empty folder has nothing to tell but what opening it makes', () => {
  const { found, creates } = trustFacts(folder, undefined)
  expect([found, creates.sort()]).toEqual([[], ['.metona/', 'AGENTS.md', 'MEMORY.md', 'SOUL.md', 'USERS.md', 'logs/', 'traces/']])
})

it('names what would influence an agent or holds secrets, also where it is a link that leads nowhere', () => {
  symlinkSync('/nowhere', join(folder, 'AGENTS.md'))
  mkdirSync(join(folder, '.metona'))
  for (const name of ['.metona/agent.db', '.env', '.env.local', '.environment', 'README.md']) writeFileSync(join(folder, name), 'x')
  const { found, creates } = trustFacts(folder, undefined)
  expect(found.sort()).toEqual(['.env', '.env.local', '.metona/agent.db', 'AGENTS.md'])
  expect(creates.sort()).toEqual(['MEMORY.md', 'SOUL.md', 'USERS.md', 'logs/', 'traces/'])
})

it('opens nothing: a pipe nobody writes to does not hold it up', () => {
  for (const name of ['SOUL.md', '.env']) expect(spawnSync('mkfifo', [join(folder, name)]).status).toBe(0)
  expect(trustFacts(folder, undefined).found.sort()).toEqual(['.env', 'SOUL.md'])
})

it('of many secret files it names five, of a folder that is special it says so', () => {
  for (let index = 0; index < 9; index += 1) writeFileSync(join(folder, `.env.${index}`), 'x')
  expect(trustFacts(folder, 'home')).toMatchObject({ special: 'home' })
  expect(trustFacts(folder, 'home').found).toHaveLength(5)
})
