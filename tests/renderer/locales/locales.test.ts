import { MetonaErrorCode } from '#contracts/metona/metona-response.ts'
import { PermissionModeSchema, SessionStateSchema, EndReasonSchema, DecisionMakerSchema } from '#contracts/session/session-enums.ts'
import { ToolItemStatusSchema } from '#contracts/session/transcript-item.ts'
import { RiskClassSchema } from '#contracts/tools/prepared-call.ts'
import { WireErrorCode } from '#contracts/wire/app-error.ts'
import { ClientErrorCode } from '#renderer/ipc/host-client.ts'
import { en } from '#renderer/locales/en/index.ts'
import { zhCn } from '#renderer/locales/zh-cn/index.ts'
import { i18n } from '#renderer/locales/i18n.ts'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import { parse, type ElementNode, type RootNode, type TemplateChildNode } from '@vue/compiler-dom'
import { parse as parseComponent } from 'vue/compiler-sfc'
import { expect, test } from 'vitest'

const project = fileURLToPath(new URL('../../../', import.meta.url))

function flatten(messages: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(messages).flatMap(([key, value]) =>
      typeof value === 'string' ? [[`${prefix}${key}`, value] as const] : [...flatten(value as object, `${prefix}${key}.`)],
    ),
  )
}
const english = flatten(en)
const chinese = flatten(zhCn)

async function sources(folder: string, endings: readonly string[]): Promise<{ name: string; text: string }[]> {
  const entries = await readdir(path.join(project, folder), { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => path.join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (file) => ({ name: path.relative(project, file), text: await readFile(file, 'utf8') })))
}

test('both languages have the same texts, none empty where the other is not', () => {
  expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort())
  expect([...english].filter(([key, text]) => (text === '') !== (chinese.get(key) === '')).map(([key]) => key)).toEqual([])
})

test('both languages use the same values in each text', () => {
  const values = (text: string | undefined): string[] =>
    [...new Set([...(text ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))].sort()
  const differing = [...english].filter(([key, text]) => values(text).join() !== values(chinese.get(key)).join()).map(([key]) => key)
  // Where only one of the forms of an English plural names its number, Chinese may name it, too.
  expect(differing.filter((key) => !english.get(key)?.includes('|') && !chinese.get(key)?.includes('|'))).toEqual([])
})

test('every text compiles and fills in its values', () => {
  for (const [locale, texts] of [
    ['en', english],
    ['zh-CN', chinese],
  ] as const) {
    for (const [key, text] of texts) {
      const values = Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map((match) => [match[1] ?? '', `«${match[1]}»`]))
      const shown = i18n.global.t(key, values, { locale })
      expect([key, shown.includes('{'), text !== '' && shown === key]).toEqual([key, false, false])
    }
  }
})

test('Chinese texts follow the rules of the house: 你, full-width marks, no blank between scripts, no apologies', () => {
  const wrong = [...chinese].filter(([, text]) => /您|抱歉|亲[，。]|[一-鿿][,;:!?]|[一-鿿] [一-鿿]|！|"[一-鿿]/.test(text))
  expect(wrong).toEqual([])
})

test('English texts say no please, no exclamation, no sorry', () => {
  expect([...english].filter(([, text]) => /\bplease\b|!|\bsorry\b|\boops\b/i.test(text))).toEqual([])
})

test('every code an error can have is explained in three parts, in both languages', () => {
  const codes = [...Object.values(MetonaErrorCode), ...Object.values(WireErrorCode), ...Object.values(ClientErrorCode)]
  const missing = codes
    .flatMap((code) => ['what', 'means', 'todo'].map((part) => `error.${code}.${part}`))
    .filter((key) => !english.get(key) || !chinese.get(key))
  expect(missing).toEqual([])
})

test('every word of a closed set that the page shows has a text', () => {
  const keys = [
    ...SessionStateSchema.options.map((state) => `state.${state}`),
    ...ToolItemStatusSchema.options.map((status) => `toolStatus.${status}`),
    ...EndReasonSchema.options.map((reason) => `turn.${reason}`),
    ...PermissionModeSchema.options.map((mode) => `permission.${mode}.name`),
    ...RiskClassSchema.options.map((risk) => `approval.risk.${risk}`),
    ...DecisionMakerSchema.options.map((maker) => `tool.by.${maker}`),
  ]
  expect(keys.filter((key) => !english.has(key))).toEqual([])
})

test('every banner that the storage worker raises has a text', async () => {
  const raised = (await sources('workers/storage', ['.ts'])).flatMap(({ text }) =>
    [...text.matchAll(/\bbanners\.set\(\s*(?:'\w+'|[\w.]+),\s*'([A-Z_]+)'/g)].map((match) => match[1] ?? ''),
  )
  expect(raised.length).toBeGreaterThan(5)
  expect(raised.filter((code) => !english.has(`banner.${code}`))).toEqual([])
})

test('every key that the sources name exists', async () => {
  const named = (await sources('renderer', ['.vue', '.ts'])).flatMap(({ name, text }) =>
    [
      ...text.matchAll(/\bt\(\s*'([\w.-]+)'/g),
      ...text.matchAll(/'((?:composer|banner|status|approval|inspector|tool|message)\.\w+)'/g),
    ].map((match) => ({ name, key: match[1] ?? '' })),
  )
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter(({ key, name }) => !english.has(key) && !name.includes('locales'))).toEqual([])
})

test('no template holds a text of its own', async () => {
  const found: string[] = []
  const files = await sources('renderer', ['.vue'])
  for (const { name, text } of files) {
    const template = parseComponent(text).descriptor.template
    if (template !== null) visit(name, parse(template.content), found)
  }
  expect(files.length).toBeGreaterThan(40)
  // A separator, a percent sign and the markup of the logo are no words.
  expect(found).toEqual([])
})

const READ_ALOUD = new Set(['title', 'aria-label', 'placeholder', 'alt', 'label'])

function visit(name: string, node: RootNode | TemplateChildNode, found: string[]): void {
  if (node.type === 2 && /\p{L}{2}/u.test(node.content)) found.push(`${name}: ${node.content.trim()}`)
  if (node.type === 1) found.push(...spokenAttributes(name, node))
  for (const child of 'children' in node && Array.isArray(node.children) ? node.children : [])
    if (typeof child === 'object') visit(name, child as TemplateChildNode, found)
}

function spokenAttributes(name: string, node: ElementNode): string[] {
  return node.props.flatMap((prop) =>
    prop.type === 6 && READ_ALOUD.has(prop.name) && /\p{L}/u.test(prop.value?.content ?? '')
      ? [`${name}: ${prop.name}="${prop.value?.content}"`]
      : [],
  )
}
