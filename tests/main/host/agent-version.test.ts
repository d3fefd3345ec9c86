import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AGENT_VERSION } from '#main/host/agent-version.ts'

test('the version in the code is the package’s', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
  expect(AGENT_VERSION).toBe(manifest.version)
})
