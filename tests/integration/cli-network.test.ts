// needs: bwrap
/** `metona network`, and what a run makes of it: the setting of the profile reaches the sandbox, the refusal reaches the person. */
import { realpath, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'

let provider: FakeProvider
let place: CliPlace
beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterEach(() => place.remove())

const network = (...args: string[]) => runCli(place, ['network', ...args])
/** A run whose model asks for one command; what the command gave, and what the person saw. */
async function command(line: string, workspace = place.workspace): Promise<{ given: string; seen: string }> {
  await provider.script([{ toolCalls: [{ name: 'run_command', args: { command: line } }] }, { text: 'done' }])
  const { stderr } = await runCli(place, [
    'run',
    '-w',
    workspace,
    '-m',
    'deepseek/deepseek-flash',
    '--trust',
    '--permission',
    'auto_edit',
    'go',
  ])
  const [, second] = await provider.requests()
  await provider.reset()
  return { given: JSON.stringify(second?.body ?? ''), seen: stderr }
}

test('a domain is allowed everywhere or in one folder, listed, and taken back', async () => {
  const folder = await realpath(place.workspace)
  const link = path.join(place.folder, 'link')
  await symlink(folder, link)
  expect((await network('list')).stderr).toContain('no network')
  expect((await network('allow', 'Registry.npmjs.org')).stdout).toContain('may reach registry.npmjs.org')
  expect((await network('allow', '*.example.com', '-w', link)).code).toBe(0)
  await network('allow', '*.example.com', '-w', folder)
  expect(jsonLines((await network('list', '--json')).stdout)).toEqual([
    { domain: 'registry.npmjs.org' },
    { domain: '*.example.com', folder },
  ])
  expect((await network('remove', '*.example.com')).stdout).toContain('was not allowed')
  expect((await network('remove', '*.example.com', '-w', folder)).stdout).toContain('no longer reach')
  expect(jsonLines((await network('list', '--json')).stdout)).toEqual([{ domain: 'registry.npmjs.org' }])
})

test.each(['127.0.0.1', 'https://example.com'])('what is no domain is refused: %j', async (domain) => {
  const { code, stderr, stdout } = await network('allow', domain)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('is no domain')
})

test('a folder cannot allow itself anything', async () => {
  await runCli(place, ['trust', place.workspace])
  const set = await runCli(place, ['config', 'set', 'security.sandboxNetwork', '[{"domain":"evil.example"}]', '-w', place.workspace])
  expect(set.code).toBe(2)
  expect(jsonLines((await network('list', '--json')).stdout)).toEqual([])
})

test('without any domain the result names the host and the person the way', async () => {
  const { given, seen } = await command('curl -sS -m 5 http://registry.example.org/x')
  expect(given).toContain('may be why the command did not reach registry.example.org')
  // It may write that of any host.
  expect(given + seen).not.toContain('sandbox refused')
  expect(seen).toContain('metona network allow registry.example.org')
})

test('an allowed domain holds in its folder, for the next command, and nothing else is reached', async () => {
  await network('allow', 'nowhere.invalid-name.example', '-w', place.workspace)
  const there = await command('curl -s -m 9 http://other.example/; curl -s -m 9 -w "%{http_code}" http://nowhere.invalid-name.example/')
  // It has no address, which the proxy says: so far it was let through.
  expect(there.given).toContain('502')
  expect(there.given).toContain('refused network connections to other.example (not among the allowed domains)')
  expect(there.seen).toContain('metona network allow other.example')
  expect(there.seen).not.toContain('metona network allow nowhere')
  const elsewhere = await command('env | grep -i _proxy; true', path.dirname(place.profile) + '/tmp')
  expect(elsewhere.given).not.toContain('17319')
})
