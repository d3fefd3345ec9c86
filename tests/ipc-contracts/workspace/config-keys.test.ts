import { expect, test } from 'vitest'
import { configKeys } from '#contracts/workspace/config-keys.ts'

const accepts = (key: string, value: unknown): boolean | undefined => configKeys[key]?.schema.safeParse(value).success

test.for(['ui.font', 'ui.codeFont'])('%s is one family by its name, or none', (key) => {
  expect([null, 'JetBrains Mono', '霞鹜文楷', 'Iosevka Term-SS08'].map((value) => accepts(key, value))).toEqual([true, true, true, true])
})

test.for(['ui.font', 'ui.codeFont'])('%s takes nothing that could end the string it stands in', (key) => {
  const refused = ['', 'A, B', 'A"; color: red', "A'", 'A\\', 'A\n', 'url(//evil)', 'var(--x)', 'x'.repeat(65), 7]
  expect(refused.filter((value) => accepts(key, value) !== false)).toEqual([])
})
