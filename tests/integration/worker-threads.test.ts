/** The five concerns run in threads of their own, and need the packages that join them. */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
let place: CliPlace

beforeEach(async () => {
  place = await makeCliPlace()
})
afterEach(() => place.remove())

test('session, llm, tools, storage and context report five different thread ids, none the host’s', async () => {
  const { code, stdout } = await runCli(place, ['doctor', '--perf', '--json'])
  expect(code).toBe(0)
  const threads = jsonLines(stdout)[0]?.['threads'] as Record<string, number>
  expect(Object.keys(threads).toSorted()).toEqual(['context', 'llm', 'session', 'storage', 'tools'])
  const ids = Object.values(threads)
  // The host runs in the process's main thread, which Node numbers 0.
  expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true)
  expect(new Set(ids).size).toBe(5)
})

/** A copy of the sources with every installed package but `missing`. */
async function copyWithout(missing: string | undefined): Promise<string> {
  const copy = path.join(place.folder, 'copy')
  await mkdir(path.join(copy, 'node_modules'), { recursive: true })
  await Promise.all(
    ['ipc-contracts', 'main', 'workers', 'package.json'].map((name) =>
      cp(path.join(ROOT, name), path.join(copy, name), { recursive: true }),
    ),
  )
  for (const name of await readdir(path.join(ROOT, 'node_modules')))
    if (name !== missing) await symlink(path.join(ROOT, 'node_modules', name), path.join(copy, 'node_modules', name))
  return copy
}

async function runIn(copy: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const run = promisify(execFile)(
    process.execPath,
    [path.join(copy, 'main', 'cli', 'entry.ts'), 'run', '-w', place.workspace, '-m', 'demo/scripted', '--trust', 'hello'],
    { env: place.environment, timeout: 60_000 },
  )
  return (await run.then(
    (output) => ({ ...output, code: 0 }),
    (error: unknown) => error,
  )) as { code: number; stdout: string; stderr: string }
}

describe('what joins the threads is really used', () => {
  test('control: the copy with every package runs', async () => {
    expect(await runIn(await copyWithout(undefined))).toMatchObject({ code: 0, stdout: expect.stringContaining('demo/scripted') })
  })

  test.each(['comlink', 'piscina', 'p-queue'])('without %s no run works', async (name) => {
    const { code, stdout, stderr } = await runIn(await copyWithout(name))
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain(`'${name}'`)
  })
})
