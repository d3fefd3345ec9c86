/** The settings in a real browser with real workers: what is set there is what the disk and the next request say. */
// needs: chromium
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { runCli } from '#tests/helpers/cli.ts'
import { openWebShell, rowOf, startSession, type WebShellPlace } from './web-shell-place.ts'

let shell: WebShellPlace

beforeAll(async () => {
  shell = await openWebShell({ permission: 'ask' })
}, 180_000)
afterAll(() => shell.close())
afterEach(async () => {
  for (const page of shell.context.pages()) await page.close()
  await shell.provider.reset()
})

async function openSettings(section: string): Promise<Page> {
  const page = await shell.openPage()
  await page.evaluate((hash) => (location.hash = hash), `#/settings/${section}`)
  await page.getByTestId(testIds.settingsNav).waitFor()
  return page
}

function profileRows<T>(sql: string): T[] {
  const database = new Database(path.join(shell.place.profile, 'profile.db'), { readonly: true })
  try {
    return database.prepare<[], T>(sql).all()
  } finally {
    database.close()
  }
}

test('theme and language are in the profile, and a page opened later has them', { timeout: 120_000 }, async () => {
  const page = await openSettings('appearance')
  const row = (key: string) => page.locator(`[data-testid="${testIds.configRow}"][data-key="${key}"]`)
  await row('ui.language').getByText('简体中文').click()
  await row('ui.theme').getByText('深色').click()
  await expect
    .poll(() => page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]))
    .toEqual(['zh-CN', 'dark'])
  const get = async (key: string): Promise<string> => (await runCli(shell.place, ['config', 'get', key, '--profile'])).stdout.trim()
  expect([await get('ui.language'), await get('ui.theme')]).toEqual(['zh-CN', 'dark'])
  const second = await shell.openPage()
  await expect
    .poll(() => second.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]))
    .toEqual(['zh-CN', 'dark'])
  await runCli(shell.place, ['config', 'set', 'ui.language', 'en', '--profile'])
})

test(
  'a file for the agent is saved; one changed on disk meanwhile is shown, and nothing is lost on either side',
  { timeout: 120_000 },
  async () => {
    const file = path.join(shell.place.workspace, 'AGENTS.md')
    const page = await openSettings('files')
    const text = page.getByTestId(testIds.fileText)
    await text.fill('# Rules\n用中文回答\n')
    await page.getByTestId(testIds.fileSave).click()
    await expect.poll(() => readFile(file, 'utf8')).toBe('# Rules\n用中文回答\n')

    await text.fill('# Rules\nmine\n')
    await writeFile(file, '# Rules\ntheirs\n')
    await page.getByTestId(testIds.fileSave).click()
    await page.locator(`[data-testid="${testIds.fileEditor}"][data-foreign="true"]`).waitFor()
    expect([await readFile(file, 'utf8'), await text.inputValue()]).toEqual(['# Rules\ntheirs\n', '# Rules\nmine\n'])
    expect(await page.getByTestId(testIds.fileEditor).innerText()).toContain('theirs')
    await page.getByTestId(testIds.fileKeepMine).click()
    await page.getByTestId(testIds.fileSave).click()
    await expect.poll(() => readFile(file, 'utf8')).toBe('# Rules\nmine\n')
  },
)

test(
  'a file for the agent that others changed: the banner leads to the diff, and the model gets it only after a yes',
  { timeout: 120_000 },
  async () => {
    const file = path.join(shell.place.workspace, 'AGENTS.md')
    const sent = async (): Promise<string> => JSON.stringify((await shell.provider.requests()).at(-1)?.body)
    const page = await shell.openPage()
    await writeFile(file, '# Rules\nwritten by somebody else\n')
    await shell.provider.script([{ text: 'first' }, { text: 'second' }])
    const sessionId = await startSession(page, 'one')
    await expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 }).toBe('done')
    expect(await sent()).not.toContain('somebody else')
    await page.getByTestId(testIds.changedFilesShow).click()
    const changed = page.locator(`[data-testid="${testIds.changedFile}"][data-file="AGENTS.md"]`)
    expect(await changed.innerText()).toContain('written by somebody else')
    await changed.getByTestId(testIds.changedFileTake).click()
    await changed.waitFor({ state: 'detached' })
    await page.getByTestId(testIds.changedFilesShow).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByTestId(testIds.composerInput).fill('two')
    await page.getByTestId(testIds.composerInput).press('Enter')
    await page.getByText('second').first().waitFor()
    expect(await sent()).toContain('somebody else')
  },
)

test('a price of one’s own is in the profile, counts from the next request on, and can be taken back', { timeout: 120_000 }, async () => {
  const page = await openSettings('models')
  const row = page.locator(`[data-testid="${testIds.modelRow}"][data-model="deepseek/deepseek-flash"]`)
  await row.getByTestId(testIds.modelEdit).click()
  for (const [field, value] of Object.entries({
    currency: 'USD',
    inputPerMillion: '1',
    outputPerMillion: '2',
    cacheHitPerMillion: '0.5',
    cacheWritePerMillion: '',
  }))
    await row.locator(`[data-field="${field}"]`).fill(value)
  await row.getByTestId(testIds.modelSave).click()
  await page.locator(`[data-model="deepseek/deepseek-flash"][data-own="true"]`).waitFor()
  const models = async (): Promise<Record<string, { pricing?: unknown }>> =>
    (JSON.parse(await readFile(path.join(shell.place.profile, 'models.json'), 'utf8')) as { models: Record<string, { pricing?: unknown }> })
      .models
  expect((await models())['deepseek/deepseek-flash']?.pricing).toEqual({
    currency: 'USD',
    inputPerMillion: 1,
    outputPerMillion: 2,
    cacheHitPerMillion: 0.5,
  })

  await shell.provider.script([
    {
      marker: 'count-me',
      answers: [
        {
          text: 'counted',
          usage: {
            prompt_tokens: 1000,
            completion_tokens: 100,
            total_tokens: 1100,
            prompt_cache_hit_tokens: 400,
            prompt_cache_miss_tokens: 600,
          },
        },
      ],
    },
  ])
  // The sessions of the tests before are counted there too.
  const bucketsOf = async (): Promise<number[]> => {
    await page.evaluate(() => (location.hash = '#/settings/usage'))
    await page.getByTestId(testIds.usageBucket).first().waitFor()
    const bucket = (name: string) =>
      page.locator(`[data-testid="${testIds.usageBucket}"][data-bucket="${name}"]`).getAttribute('data-tokens')
    return (await Promise.all(['input', 'cacheHit', 'output'].map(bucket))).map(Number)
  }
  const before = await bucketsOf()
  await page.evaluate(() => (location.hash = '#/new'))
  const sessionId = await startSession(page, 'count-me please')
  await expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 }).toBe('done')
  await page.evaluate(() => (location.hash = '#/settings/usage'))
  const line = page.locator(`[data-testid="${testIds.usageTable}"][data-kind="session"] tr[data-key="${sessionId}"] [data-cost]`)
  await line.waitFor()
  const after = await bucketsOf()
  expect({
    buckets: after.map((tokens, index) => tokens - (before[index] ?? 0)),
    // 600 new at 1, 400 from the cache at 0.5, 100 out at 2, for a million each.
    cost: [await line.getAttribute('data-cost'), await line.getAttribute('data-unpriced')],
  }).toEqual({ buckets: [600, 400, 100], cost: ['$0.001', '0'] })

  await page.evaluate(() => (location.hash = '#/settings/models'))
  await row.getByTestId(testIds.modelEdit).click()
  await row.getByTestId(testIds.modelReset).click()
  await page.locator(`[data-model="deepseek/deepseek-flash"][data-own="false"]`).waitFor()
  expect(await models()).toEqual({})
})

test('allowed for good is listed with its words, and once taken back is asked again', { timeout: 120_000 }, async () => {
  await shell.provider.script([
    { marker: 'build-it', answers: [{ toolCalls: [{ name: 'run_command', args: { command: 'npm test' } }] }, { text: 'built' }] },
  ])
  const page = await shell.openPage()
  const sessionId = await startSession(page, 'build-it please')
  await expect.poll(() => page.getByTestId(testIds.approvalAllowAlways).isEnabled(), { timeout: 30_000 }).toBe(true)
  await page.getByTestId(testIds.approvalAllowAlways).click()
  await expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 }).toBe('done')
  await page.evaluate(() => (location.hash = '#/settings/permissions'))
  await page.getByTestId(testIds.grantRow).waitFor()
  const stored = profileRows<{ tool: string; prefix: string }>('SELECT tool, prefix FROM grants')
  expect([stored.length, (await page.getByTestId(testIds.grantRow).innerText()).includes(stored[0]?.prefix ?? '?')]).toEqual([1, true])
  await page.getByTestId(testIds.grantRevoke).click()
  await expect.poll(() => profileRows('SELECT * FROM grants')).toEqual([])
})

test('a domain for commands is typed, kept in the profile, and taken back', { timeout: 120_000 }, async () => {
  const page = await openSettings('permissions')
  const kept = () =>
    profileRows<{ value: string }>("SELECT value FROM app_config WHERE key = 'security.sandboxNetwork'").map(({ value }) =>
      JSON.parse(value),
    )
  await page.getByTestId(testIds.domainField).fill('127.0.0.1')
  await page.getByTestId(testIds.domainField).press('Enter')
  await expect.poll(() => page.getByTestId(testIds.domainField).getAttribute('aria-invalid')).toBe('true')
  expect(kept()).toEqual([])
  await page.getByTestId(testIds.domainField).fill('https://Registry.npmjs.org/')
  await page.getByTestId(testIds.domainField).press('Enter')
  await expect.poll(kept).toEqual([[{ domain: 'registry.npmjs.org' }]])
  await page.getByTestId(testIds.domainRemove).click()
  await expect.poll(kept).toEqual([[]])
})

test('an address that is none is refused in words, a good one is kept in the profile and asked at once', { timeout: 120_000 }, async () => {
  const page = await openSettings('providers')
  const row = page.locator('[data-provider="ollama"]')
  await row.getByTestId(testIds.providerAddress).click()
  await row.getByTestId(testIds.providerAddressInput).fill('not an address')
  await row.getByTestId(testIds.providerAddressSave).click()
  await row.locator(`[data-testid="${testIds.problem}"][data-code="BAD_BASE_URL"]`).waitFor()
  expect(profileRows('SELECT * FROM providers')).toEqual([])
  await row.getByTestId(testIds.providerAddressInput).fill(shell.provider.baseUrl)
  await row.getByTestId(testIds.providerAddressSave).click()
  await expect
    .poll(() => profileRows<{ provider: string; base_url: string }>('SELECT provider, base_url FROM providers'))
    .toEqual([{ provider: 'ollama', base_url: shell.provider.baseUrl }])
  await expect.poll(async () => (await shell.provider.requests()).length, { timeout: 20_000 }).toBeGreaterThan(0)
})
