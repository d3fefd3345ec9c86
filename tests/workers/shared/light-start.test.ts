/** What a thread does not do before it is ready, seen from inside the bundle that people start. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { builtBundles } from '#tests/helpers/built-bundles.ts'

interface Start {
  /** How often code was made from text. */
  readonly compiled: number
  /** Modules of Node that were loaded. */
  readonly loaded: readonly string[]
}

/** Loads a module in a thread as the host would start one, and counts. */
async function start(specifier: string): Promise<Start> {
  const code = `
    const { parentPort } = require('node:worker_threads')
    const Real = Function
    let compiled = 0
    globalThis.Function = new Proxy(Real, { construct: (target, texts) => (compiled++, Reflect.construct(target, texts)) })
    import(${JSON.stringify(specifier)}).then(({ check }) => {
      check?.()
      parentPort.postMessage({ start: { compiled, loaded: process.moduleLoadList } })
    })`
  const profile = await mkdtemp(join(tmpdir(), 'metona-start-'))
  const worker = new Worker(code, { eval: true, workerData: { name: 'test', profile, bundles: '', agentVersion: '0' } })
  try {
    return await new Promise((resolve, reject) => {
      worker.on('error', reject)
      worker.on('message', (message: { start?: Start }) => message.start !== undefined && resolve(message.start))
    })
  } finally {
    await worker.terminate()
    await rm(profile, { recursive: true, force: true })
  }
}

test.each(['session', 'llm', 'tools', 'storage'])('the %s thread compiles no schema', async (name) => {
  const { compiled } = await start(pathToFileURL(join(await builtBundles(), name, 'entry.js')).href)
  expect(compiled).toBe(0)
})

test('control: a schema made before the rule is set is compiled', async () => {
  const zod = import.meta.resolve('zod')
  const { compiled } = await start(
    `data:text/javascript,${encodeURIComponent(`import * as z from ${JSON.stringify(zod)}; export const check = () => z.object({ a: z.string() }).safeParse({ a: 'x' })`)}`,
  )
  expect(compiled).toBeGreaterThan(0)
})

test('no thread loads parts of Node for exports it does not name', async () => {
  for (const name of ['session', 'llm', 'tools', 'storage']) {
    const { loaded } = await start(pathToFileURL(join(await builtBundles(), name, 'entry.js')).href)
    expect(loaded.filter((module) => /deps\/undici|http2|webcrypto|parse_args/.test(module))).toEqual([])
  }
})
