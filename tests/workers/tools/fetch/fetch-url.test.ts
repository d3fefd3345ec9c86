import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fetchPage, type FetchNetwork } from '#workers/tools/fetch/fetch-page.ts'
import { isPublicAddress } from '#workers/tools/fetch/allowed-address.ts'
import { checkUrl } from '#workers/tools/fetch/check-url.ts'
import { htmlToMarkdown } from '#workers/tools/fetch/html-to-markdown.ts'

/** From the list of refused forms: every spelling of an address inside. */
const REFUSED_LITERALS = [
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://0/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://①②⑦.⓪.⓪.①/',
  'http://localhost./',
  'http://x.localhost/',
  'http://localhost/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.100.100.200/',
  'http://[fd00:ec2::254]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://[fe80::1]/',
  'http://user:pw@127.0.0.1/',
  'http://user:pw@example.com/',
  'http://127.0.0.1#@good.com/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://intranet/',
  'http://printer.local/',
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://example.com/',
  'data:text/html,x',
  'blob:https://example.com/x',
  'javascript:alert(1)',
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:6379/',
  'not a url',
  '',
]

test.each(REFUSED_LITERALS)('%s is refused before anything is resolved', (url) => {
  expect(() => checkUrl(url)).toThrow()
})

test.each([
  'https://example.com/',
  'http://93.184.216.34/x',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/',
  'https://例え.テスト.com/長い/道',
  'https://example.com:8443/a?b=c#d',
])('%s is allowed', (url) => {
  expect(checkUrl(url).protocol).toMatch(/^https?:$/)
})

test.each([
  ['93.184.216.34', true],
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['127.0.0.1', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['fe80::1%eth0', false],
  ['fc00::1', false],
  ['ff02::1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['192.168.0.1', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['100.127.0.1', false],
  ['not an address', false],
])('the address %s is public: %s', (address, allowed) => {
  expect(isPublicAddress(address)).toBe(allowed)
})

describe('over real sockets', () => {
  let server: Server
  let port = 0
  let requests: { host: string; url: string; headers: IncomingMessage['headers'] }[] = []
  let answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {}
  const signal = new AbortController().signal

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push({ host: request.headers.host ?? '', url: request.url ?? '', headers: request.headers })
      const answer = answers[request.url ?? '']
      if (answer === undefined) return void response.writeHead(404).end('no')
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(() => {
    requests = []
    answers = {}
  })

  /** Names with the addresses the test gives them; every socket goes to the test's own server. */
  const network = (names: Record<string, string[] | (() => string[])>): FetchNetwork => ({
    lookup: async (host) => {
      const entry = names[host] ?? [host]
      return typeof entry === 'function' ? entry() : entry
    },
    dial: () => ({ host: '127.0.0.1', port }),
  })
  const html =
    (text: string, type = 'text/html; charset=utf-8') =>
    (_request: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': type }).end(text)

  test('a public page is fetched with its body and final address', async () => {
    answers = { '/a': html('<p>hello</p>') }
    const page = await fetchPage('http://site.example/a', signal, network({ 'site.example': ['93.184.216.34'] }))
    expect({ url: page.url, status: page.status, body: page.body.toString(), cut: page.cut }).toEqual({
      url: 'http://site.example/a',
      status: 200,
      body: '<p>hello</p>',
      cut: false,
    })
  })

  test('one private address among the answers refuses the name, and no request is made', async () => {
    answers = { '/': html('x') }
    await expect(
      fetchPage('http://mixed.example/', signal, network({ 'mixed.example': ['93.184.216.34', '192.168.0.7'] })),
    ).rejects.toMatchObject({ code: 'URL_REFUSED' })
    expect(requests).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])('a redirect (%i) to an inner address is refused', async (status) => {
    answers = { '/r': (_request, response) => void response.writeHead(status, { location: 'http://169.254.169.254/latest' }).end() }
    await expect(fetchPage('http://site.example/r', signal, network({ 'site.example': ['93.184.216.34'] }))).rejects.toMatchObject({
      code: 'URL_REFUSED',
    })
    expect(requests.map((request) => request.url)).toEqual(['/r'])
  })

  test('a redirect to a file address is refused', async () => {
    answers = { '/r': (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end() }
    await expect(fetchPage('http://site.example/r', signal, network({ 'site.example': ['93.184.216.34'] }))).rejects.toMatchObject({
      code: 'URL_REFUSED',
    })
  })

  test('a name whose answer changes between two hops is looked at again, on no old socket', async () => {
    let asked = 0
    answers = { '/one': (_request, response) => void response.writeHead(302, { location: '/two' }).end(), '/two': html('inner') }
    const flipping = network({ 'flip.example': () => (asked++ === 0 ? ['93.184.216.34'] : ['127.0.0.1']) })
    const outcome = await fetchPage('http://flip.example/one', signal, flipping).then(
      (page) => page.body.toString(),
      (error: { code: string }) => error.code,
    )
    // Either the checked socket still carries the second hop, or the new answer is refused; never a socket to the new address.
    expect(['inner', 'URL_REFUSED']).toContain(outcome)
    expect(asked === 1 || outcome === 'URL_REFUSED').toBe(true)
  })

  test('a Refresh header is not followed', async () => {
    answers = {
      '/': (_request, response) =>
        void response.writeHead(200, { refresh: '0; url=http://127.0.0.1/', 'content-type': 'text/plain' }).end('stay'),
    }
    const page = await fetchPage('http://site.example/', signal, network({ 'site.example': ['93.184.216.34'] }))
    expect(page.body.toString()).toBe('stay')
    expect(requests.length).toBe(1)
  })

  test('endless redirects end with a reason', async () => {
    answers = { '/loop': (_request, response) => void response.writeHead(302, { location: '/loop' }).end() }
    await expect(fetchPage('http://site.example/loop', signal, network({ 'site.example': ['93.184.216.34'] }))).rejects.toMatchObject({
      code: 'TOO_MANY_REDIRECTS',
    })
  })

  test('a small body that unfolds to 300 MB is left at 5 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(300_000_000))
    answers = {
      '/bomb': (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb),
    }
    const page = await fetchPage('http://site.example/bomb', signal, network({ 'site.example': ['93.184.216.34'] }))
    expect({ size: page.body.length, cut: page.cut }).toEqual({ size: 5 * 1024 * 1024, cut: true })
  })

  test('proxies of the environment are not used', async () => {
    answers = { '/': html('direct') }
    const before = process.env['HTTP_PROXY']
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:9'
    try {
      const page = await fetchPage('http://site.example/', signal, network({ 'site.example': ['93.184.216.34'] }))
      expect(page.body.toString()).toBe('direct')
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY']
      else process.env['HTTP_PROXY'] = before
    }
  })

  test('a stop ends the request', async () => {
    answers = { '/slow': () => {} }
    const controller = new AbortController()
    const fetching = fetchPage('http://site.example/slow', controller.signal, network({ 'site.example': ['93.184.216.34'] }))
    const outcome = fetching.then(
      () => 'done',
      () => 'stopped',
    )
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    expect(await outcome).toBe('stopped')
  })

  test('a page that is never complete ends at the limit of time', async () => {
    answers = { '/slow': (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a') }
    await expect(fetchPage('http://site.example/slow', signal, network({ 'site.example': ['93.184.216.34'] }), 300)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('within 0.3 s'),
    })
  })

  test('time in which the machine slept is no delay of the server', async () => {
    answers = {
      '/': (_request, response) => {
        // As a suspended machine is held up: nothing runs, and then everything that waited.
        for (const end = performance.now() + 1500; performance.now() < end;);
        response.writeHead(200, { 'content-type': 'text/plain' }).end('after the sleep')
      },
    }
    const page = await fetchPage('http://site.example/', signal, network({ 'site.example': ['93.184.216.34'] }), 700)
    expect(page.body.toString()).toBe('after the sleep')
  })

  test('control: with every address allowed, the server of this machine is reached', async () => {
    answers = { '/': html('reached') }
    const page = await fetchPage('http://open.example/', signal, network({ 'open.example': ['93.184.216.34'] }))
    expect(page.body.toString()).toBe('reached')
  })
})

test('a page becomes its readable part as Markdown with whole links', () => {
  const html = `<html><head><title>The  page</title><script>evil()</script></head><body><nav><a href="/">Home</a></nav>
    <main><h1>Heading</h1><p>Text with <a href="sub/x">a link</a> and <a href="javascript:alert(1)">a bad one</a>.</p><ul><li>one</li><li>two</li></ul><pre><code>let a = 1</code></pre>
    <p>${'More words so that the main part is most of the page. '.repeat(5)}</p></main><footer>Imprint</footer></body></html>`
  const { title, markdown } = htmlToMarkdown({ html, url: 'https://example.com/dir/page' })
  expect(title).toBe('The page')
  expect(markdown).toContain('# Heading')
  expect(markdown).toContain('[a link](https://example.com/dir/sub/x)')
  expect(markdown).toContain('let a = 1')
  expect(markdown).not.toMatch(/javascript:|evil|Home|Imprint/)
})

test('a Chinese page in GBK keeps its characters', () => {
  const bytes = iconv.encode('<p>你好，世界</p>', 'gbk')
  expect(htmlToMarkdown({ html: new TextDecoder('gbk').decode(bytes), url: 'https://example.com/' }).markdown).toBe('你好，世界')
})
