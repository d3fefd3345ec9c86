/** Which proxy is asked about how often: an answer is kept, what was no answer is not, and another network is asked anew. */
import { expect, test } from 'vitest'
import { createProxies } from '#workers/shared/proxy-setting.ts'

const url = new URL('https://mcp.example/a')

function shellThat(...says: (string | undefined | Error)[]): { shell: (url: string) => Promise<string | undefined>; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    shell: async (address) => {
      asked.push(address)
      const next = says[asked.length - 1]
      if (next instanceof Error) throw next
      return next
    },
  }
}

test('an answer is kept for its origin', async () => {
  const { shell, asked } = shellThat('PROXY one:1', 'DIRECT')
  const proxies = createProxies({}, shell)
  const names = [await proxies.for(url), await proxies.for(new URL('/b', url)), await proxies.for(new URL('https://other.example'))]
  expect([names.map(({ name }) => name), asked]).toEqual([
    ['http://one:1', 'http://one:1', 'direct'],
    ['https://mcp.example', 'https://other.example'],
  ])
})

test('no answer in time is a direct connection for now, and asked again', async () => {
  const { shell } = shellThat(undefined, 'PROXY one:1')
  const proxies = createProxies({}, shell)
  expect([(await proxies.for(url)).name, (await proxies.for(url)).name]).toEqual(['direct', 'http://one:1'])
})

test('a failure is not kept', async () => {
  const { shell } = shellThat(new Error('gone'), 'PROXY one:1')
  const proxies = createProxies({}, shell)
  await expect(proxies.for(url)).rejects.toThrow('gone')
  expect((await proxies.for(url)).name).toBe('http://one:1')
})

test('in another network it is asked again', async () => {
  const { shell } = shellThat('PROXY one:1', 'PROXY two:2')
  const proxies = createProxies({}, shell)
  const before = await proxies.for(url)
  proxies.forget()
  expect([before.name, (await proxies.for(url)).name]).toEqual(['http://one:1', 'http://two:2'])
})

test('the environment comes before the shell, this machine before both', async () => {
  const { shell, asked } = shellThat()
  const proxies = createProxies({ https_proxy: 'http://env:3' }, shell)
  const names = [await proxies.for(url), await proxies.for(new URL('http://localhost:1'))].map(({ name }) => name)
  expect([names, asked]).toEqual([['environment', 'direct'], []])
})
