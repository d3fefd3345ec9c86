import { expect, test } from 'vitest'
import type { Banner } from '#contracts/session/client-protocol.ts'
import { watchStorageTrouble } from '#main/cli/storage-trouble.ts'

function banner(code: string): Banner {
  return { id: code, level: 'error', code, message: code }
}

test('counts how long the same thing stands in the way, and forgets it when it is gone', () => {
  let now = 0
  let say: (banners: readonly Banner[]) => void = () => undefined
  const trouble = watchStorageTrouble({ onBanners: (listener) => void (say = listener) }, () => now)
  expect(trouble.current()).toBeUndefined()
  say([banner('LOG_REPAIRED'), banner('DISK_FULL')])
  now = 500
  say([banner('DISK_FULL')])
  now = 900
  expect(trouble.current()).toMatchObject({ error: { code: 'DISK_FULL' }, forMs: 900 })
  say([banner('DATABASE_BUSY')])
  now = 1_000
  expect(trouble.current()).toMatchObject({ error: { code: 'DATABASE_BUSY' }, forMs: 100 })
  say([banner('LOG_REPAIRED')])
  expect(trouble.current()).toBeUndefined()
})
