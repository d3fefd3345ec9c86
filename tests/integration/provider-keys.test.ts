/** Keys given in the app: in a shell with a secret store they are there in the next run, and nowhere in the files. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NativeServices } from '#contracts/native/native-services.ts'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline } from '#tests/helpers/pipeline.ts'

const KEY = 'sk-canary-5f0c9b7e1d2a4c6e8f10'
let provider: FakeProvider
let place: CliPlace

beforeEach(async () => {
  delete process.env['DEEPSEEK_API_KEY']
  provider = await startFakeProvider()
  place = await makeCliPlace({ DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterEach(async () => {
  await place.remove()
  await provider.stop()
})

/** As the desktop shell's, with a store that outlives the run. */
function secretStore(available: boolean): { native: Partial<NativeServices>; stored: Map<string, string> } {
  const stored = new Map<string, string>()
  return {
    stored,
    native: {
      secretsAvailable: async () => ({ available, backend: 'test' }),
      readSecret: async ({ name }) => stored.get(name) ?? null,
      writeSecret: async ({ name, value }) => {
        if (!available) throw new Error('no protected store')
        if (value === null) stored.delete(name)
        else stored.set(name, value)
      },
    },
  }
}

async function allFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return (await Promise.all(files.map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')))).join('\n')
}

test('a key in the secret store is used by the next run without being given again, until it is removed', async () => {
  const { native, stored } = secretStore(true)
  const first = startPipeline(place, { native })
  const answer = await first.client.call('providers.setKey', { provider: 'deepseek', apiKey: KEY })
  await first.stop()

  await provider.script([{ text: `the key is ${KEY}` }])
  const second = startPipeline(place, { native })
  await second.open()
  const session = await second.session({ model: 'deepseek/deepseek-flash' })
  await session.prompt('hello')
  await session.ended(1)
  await second.client.call('providers.setKey', { provider: 'deepseek', apiKey: null })
  await second.stop()

  const third = startPipeline(place, { native })
  const { providers } = await third.client.call('providers.list', {})
  await third.stop()
  expect({
    stored: answer.stored,
    used: (await provider.requests())[0]?.headers['authorization'],
    inFiles: (await allFiles(place.folder)).includes(KEY),
    left: stored.size,
    known: providers.find(({ id }) => id === 'deepseek')?.hasKey,
  }).toEqual({ stored: 'secret_store', used: `Bearer ${KEY}`, inFiles: false, left: 0, known: false })
})

test('without a protected store the key holds for this run, and that is said', async () => {
  const pipeline = startPipeline(place, { native: secretStore(false).native })
  const answer = await pipeline.client.call('providers.setKey', { provider: 'deepseek', apiKey: KEY })
  const { providers } = await pipeline.client.call('providers.list', {})
  await pipeline.stop()
  expect([answer.stored, providers.find(({ id }) => id === 'deepseek')?.hasKey]).toEqual(['this_run', true])
})
