import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proof } from '../helpers/proof.ts'
import { newBase, openStorage, removeBase } from '../workers/storage/open-storage.ts'
import { startProcess, type StorageProcess } from '../workers/storage/start-process.ts'

const ROUNDS = proof(50, 10)
const INSTANCES = 4

let base: string
beforeEach(() => {
  base = newBase()
})
afterEach(() => removeBase(base))

let processes: StorageProcess[] = []
afterEach(async () => {
  for (const { child } of processes) child.kill('SIGKILL')
  await Promise.all(processes.map((process) => process.ended))
  processes = []
})

const startAll = (waitMs: string): void => {
  processes = Array.from({ length: INSTANCES }, () => startProcess([base, waitMs]))
}
const allSay = (): Promise<Record<string, unknown>[]> => Promise.all(processes.map((process) => process.next()))

async function isWhole(sessions: number): Promise<void> {
  const storage = openStorage(base)
  expect((await storage.open()).banners).toEqual([])
  expect((await storage.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(sessions)
  expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  await storage.close()
}

it('four programs started together: one writes, the others are told by whom and end', { timeout: 180_000 }, async () => {
  startAll('0')
  const answers = await allSay()
  const winner = answers.findIndex((answer) => answer.opened === true)
  expect(answers.filter((answer) => answer.opened === true)).toHaveLength(1)
  for (const answer of answers) if (answer.opened !== true) expect(answer).toMatchObject({ code: 'WORKSPACE_IN_USE' })
  processes[winner]?.tell('end')
  expect((await Promise.all(processes.map((process) => process.ended))).toSorted()).toEqual([0, 3, 3, 3])
})

describe(`${ROUNDS} × four programs that open one folder at once`, () => {
  it('one writes, the others are refused', { timeout: 600_000 }, async () => {
    startAll('manual')
    await allSay()
    for (let round = 0; round < ROUNDS; round++) {
      for (const process of processes) process.tell('open 0')
      const answers = await allSay()
      expect(
        answers.filter((answer) => answer.opened === true),
        `round ${round}`,
      ).toHaveLength(1)
      for (const answer of answers) if (answer.opened !== true) expect(answer).toMatchObject({ code: 'WORKSPACE_IN_USE' })
      const winner = processes[answers.findIndex((answer) => answer.opened === true)]
      winner?.tell(`append s_round${round}`)
      winner?.tell('close')
      expect([await winner?.next(), await winner?.next()]).toMatchObject([{ appended: `s_round${round}` }, { closed: true }])
    }
    for (const process of processes) process.tell('end')
    await Promise.all(processes.map((process) => process.ended))
    await isWhole(ROUNDS)
  })

  it('those that wait write one after the other, and nothing of any is lost', { timeout: 600_000 }, async () => {
    startAll('manual')
    await allSay()
    let writing = 0
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        processes.map(async (process, index) => {
          process.tell('open 60000')
          expect(await process.next()).toMatchObject({ opened: true })
          writing++
          expect(writing, 'two writers at once').toBe(1)
          process.tell(`append s_r${round}i${index}`)
          expect(await process.next()).toMatchObject({ appended: `s_r${round}i${index}` })
          writing--
          process.tell('close')
          expect(await process.next()).toMatchObject({ closed: true })
        }),
      )
    }
    for (const process of processes) process.tell('end')
    await Promise.all(processes.map((process) => process.ended))
    await isWhole(ROUNDS * INSTANCES)
  })
})
