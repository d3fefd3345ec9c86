/** Of a home only the parts with programs are shown, never those with credentials. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findPrivatePlaces } from '#workers/tools/sandbox/private-places.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(homedir(), '.metona-home-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const shown = async (files: Record<string, string>): Promise<string[]> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), content)
  }
  const { visible } = await findPrivatePlaces({ HOME: home, PATH: '' }, [])
  return visible.map(({ path }) => relative(home, path)).sort()
}

test('programs and settings are shown, credentials beside them are not', async () => {
  const places = await shown({
    '.gem/credentials': 'k',
    '.gem/ruby/3.3.0/a': 'a',
    '.config/git/credentials': 'k',
    '.config/git/config': '[user]\n\tname = t\n',
    '.config/git/ignore': '*.o\n',
    '.gitconfig': '[user]\n\tname = t\n[url "git@github.com:"]\n\tinsteadOf = https://github.com/\n',
    '.cargo/credentials.toml': 'k',
    '.cargo/bin/a': 'a',
    '.local/share/uv/credentials/a': 'k',
    '.local/share/uv/tools/a': 'a',
  })
  expect(places).toEqual(['.cargo/bin', '.config/git/config', '.config/git/ignore', '.gem/ruby', '.gitconfig', '.local/share/uv/tools'])
})

test.each([
  '[http]\n\textraHeader = Authorization: Basic abc\n',
  '[url "https://abc@github.com/"]\n\tinsteadOf = https://github.com/\n',
  '[github]\n\ttoken = abc\n',
])('git settings that may hold a token are not shown: %j', async (settings) => {
  expect(await shown({ '.gitconfig': settings, '.config/git/config': settings })).toEqual([])
})
