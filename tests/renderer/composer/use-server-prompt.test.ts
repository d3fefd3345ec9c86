/** A prompt's text that comes late never takes the place of what the person wrote meanwhile. */
import { createPinia, setActivePinia } from 'pinia'
import { expect, test } from 'vitest'
import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import type { McpPrompt, McpPromptText } from '#contracts/tools/mcp-prompt.ts'
import { useServerPrompt, type ServerPrompt } from '#renderer/features/composer/use-server-prompt.ts'
import { i18n } from '#renderer/locales/i18n.ts'
import { useMcpPromptsStore } from '#renderer/stores/mcp-prompts.ts'

const PROMPT: McpPrompt = {
  server: { id: 'mcp_1', name: 'one' },
  name: 'ask',
  word: 'one:ask',
  title: 'Ask',
  description: '',
  arguments: [],
}

/** A field in which `/one:ask` was sent; the server answers when `come` is called. */
async function sent() {
  const pinia = createPinia()
  setActivePinia(pinia)
  const coming = Promise.withResolvers<McpPromptText>()
  const store = useMcpPromptsStore()
  store.find = () => PROMPT
  let signal: AbortSignal | undefined
  store.fill = (_workspace, _prompt, _given, stop) => {
    signal = stop
    return coming.promise
  }
  const field = { key: 's_1', text: '/one:ask', late: 0 }
  let prompt: ServerPrompt | undefined
  const page = createSSRApp({
    setup: () => {
      prompt = useServerPrompt({
        key: () => field.key,
        text: () => field.text,
        put: (text) => (field.text = text),
        late: () => (field.late += 1),
      })
      return () => ''
    },
  })
  await renderToString(page.use(pinia).use(i18n))
  const taken = prompt?.take(field.text, '/w')
  return {
    field,
    prompt,
    aborted: () => signal?.aborted,
    come: () => (coming.resolve({ messages: [{ role: 'user', text: 'filled' }], leftOut: [] }), taken),
    fail: () => (coming.reject(new Error('no')), taken),
  }
}

test('it comes into the field as it was', async () => {
  const { field, come } = await sent()
  await come()
  expect([field.text.includes('> filled'), field.late]).toEqual([true, 0])
})

test.each([
  ['a changed draft', { text: 'my own words' }],
  ['the draft of another session', { key: 's_2' }],
])('%s is kept, and the person is told', async (_name, change) => {
  const { field, come } = await sent()
  Object.assign(field, change)
  await come()
  expect(field).toEqual({ key: 's_1', text: '/one:ask', ...change, late: 1 })
})

test('cancelled: the call is given up, nothing comes and nothing is reported', async () => {
  const { field, prompt, aborted, come } = await sent()
  prompt?.cancel()
  await come()
  expect([aborted(), field.text, field.late, prompt?.busy.value]).toEqual([true, '/one:ask', 0, false])
  const other = await sent()
  other.prompt?.cancel()
  expect(await other.fail()).toBe(true)
})
