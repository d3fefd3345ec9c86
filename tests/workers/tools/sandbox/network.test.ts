// needs: bwrap
/** Allowed domains with real programs in the real sandbox, against servers of this machine that play the domains. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { proof } from '#tests/helpers/proof.ts'
import { openSandboxBench, removeBundles, removeUser, testUsers, type SandboxBench } from './sandbox-bench.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const users = missingProgram('bwrap', 'allowed domains') ? [] : testUsers()
const fixture = (name: string): string => readFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const DOMAINS = ['allowed.test', '*.wide.test', 'inside.test']

let reached: string[] = []
let web: Server
let secure: Server
beforeAll(async () => {
  const take = (incoming: IncomingMessage, response: ServerResponse): void => {
    reached.push(`${incoming.headers.host} ${incoming.url}`)
    response.end(`hello from ${incoming.headers.host}\n`)
  }
  web = createHttp(take).listen(0, '127.0.0.1')
  secure = createHttps({ cert: fixture('domains.pem'), key: fixture('domains.key') }, take).listen(0, '127.0.0.1')
  await Promise.all([web, secure].map((server) => once(server, 'listening')))
})
afterAll(async () => {
  web.close()
  secure.close()
  for (const user of users.slice(1)) removeUser(user)
  await removeBundles()
})
const port = (server: Server): number => (server.address() as AddressInfo).port

describe.each(users.map((user) => [user.uid === 0 ? 'root' : 'an ordinary user', user] as const))('as %s', (_name, user) => {
  let bench: SandboxBench
  beforeAll(async () => {
    bench = await openSandboxBench(user, {}, { addresses: { 'inside.test': ['127.0.0.1'] }, ports: { 80: port(web), 443: port(secure) } })
    await writeFile(join(bench.workspace, 'ca.crt'), fixture('domains.pem'))
  })
  afterAll(() => bench.close())
  const run = async (command: string, domains: readonly string[] = DOMAINS) => {
    reached = []
    const { exit, text, refused } = await bench.run(command, { domains, timeoutMs: 30_000 })
    return {
      code: exit.kind === 'exit' ? exit.exitCode : null,
      text,
      reached,
      refused: refused.map(({ host, reason }) => `${host} ${reason}`),
    }
  }
  const python = (url: string): string =>
    `python3 -c "import ssl, urllib.request as u; print(u.urlopen('${url}', timeout=10, context=ssl.create_default_context(cafile='ca.crt')).read())"`
  // The Node that opened the network: an older one, as the machine may have, knows no proxy by itself.
  const node = (url: string): string =>
    `NODE_EXTRA_CA_CERTS=ca.crt /dev/metona-node -e "fetch('${url}').then((r) => r.text()).then(console.log, () => process.exit(1))"`

  /** Nothing here depends on being root but the ids; in the small tier it gets every fourth. */
  const share = <Row>(rows: readonly Row[]): Row[] =>
    rows.filter((_row, index) => user.uid !== 0 || users.length === 1 || index % proof(1, 4) === 0)

  test.each(
    share([
      ['curl', 'curl -sS -m 10 http://allowed.test/x', 'allowed.test /x'],
      ['curl over TLS', 'curl -sS -m 10 --cacert ca.crt https://allowed.test/x', 'allowed.test /x'],
      ['curl, a name below a star', 'curl -sS -m 10 --cacert ca.crt https://a.wide.test/x', 'a.wide.test /x'],
      ['wget', 'wget -q -T 10 -t 1 -O- http://allowed.test/x', 'allowed.test /x'],
      ['Python', python('https://allowed.test/x'), 'allowed.test /x'],
      ['Node', node('https://allowed.test/x'), 'allowed.test /x'],
      ['Node, plain', node('http://allowed.test/x'), 'allowed.test /x'],
      ['npm', 'npm view metona-probe --registry=http://allowed.test/ --fetch-retries=0; true', 'allowed.test /metona-probe'],
      ['git', 'git ls-remote http://allowed.test/x; true', 'allowed.test /x/info/refs?service=git-upload-pack'],
    ]),
  )('%s reaches an allowed name', async (_program, command, arrives) => {
    const end = await run(command)
    expect(end).toMatchObject({ code: 0, reached: [arrives], refused: [] })
  })

  test.each(
    share([
      ['another name', 'curl -sS -m 10 -f http://denied.test/x', 'denied.test domain'],
      ['another name over TLS', 'curl -sS -m 10 --cacert ca.crt https://denied.test/x', 'denied.test domain'],
      ['a name that leads inside', 'curl -sS -m 10 -f http://inside.test/x', 'inside.test address'],
      ['a number', 'curl -sS -m 10 -f http://93.184.216.34/x', '93.184.216.34 name'],
      [
        'TLS for another name',
        'curl -sS -m 10 -k --connect-to denied.test:443:allowed.test:443 https://denied.test/x',
        'allowed.test mismatch',
      ],
      ['another Host', 'curl -sS -m 10 -f -H "Host: denied.test" http://allowed.test/x', 'allowed.test mismatch'],
      ['Python', python('https://denied.test/x'), 'denied.test domain'],
      ['Node', node('https://denied.test/x'), 'denied.test domain'],
    ]),
  )('refused with the reason: %s', async (_what, command, refused) => {
    const end = await run(command)
    expect(end).toMatchObject({ reached: [], refused: [refused] })
    expect(end.code).not.toBe(0)
  })

  test('nothing gets out beside the proxy, and nothing of ours is left inside', async () => {
    const end = await run(
      [
        `curl --noproxy '*' -sS -m 3 http://93.184.216.34/ 2>&1`,
        `curl --noproxy '*' -sS -m 3 http://127.0.0.1:${port(web)}/ 2>&1`,
        `(echo > /dev/tcp/127.0.0.1/${port(web)}) 2>&1`,
        'getent hosts allowed.test && echo resolved',
        'ls /proc/self/fd | grep -qx 4 && echo channel',
        'env | grep NODE_CHANNEL',
        'ls -l /proc/[0-9]*/exe 2>/dev/null | grep -q metona-node && echo helper',
        'tail -n +3 /proc/net/dev | cut -d: -f1 | grep -v " lo"',
        'true',
      ].join('\n'),
    )
    expect(end).toMatchObject({ code: 0, reached: [] })
    expect(end.text).not.toMatch(/hello|resolved|channel|helper/)
  })

  test('servers of the command itself are reached without the proxy', async () => {
    const end = await run(
      `node -e "const s = require('http').createServer((q, r) => r.end('own')).listen(8123, '127.0.0.1', () => require('child_process').exec('curl -sS -m 5 http://localhost:8123/; curl -sS -m 5 http://127.0.0.1:8123/', (e, out) => { console.log(out); s.close() }))"`,
    )
    expect(end.text).toContain('ownown')
  })

  test('the network ends with the command, and each command has its own', async () => {
    const [long, other] = await Promise.all([
      run('sleep 1; curl -sS -m 5 http://allowed.test/late'),
      bench.run('curl -sS -m 5 -f http://allowed.test/no', { domains: ['*.wide.test'] }),
    ])
    expect(long.text).toContain('hello from allowed.test')
    expect(other.refused).toEqual([{ host: 'allowed.test', port: 80, reason: 'domain' }])
  })

  test('with nothing allowed there is no proxy', async () => {
    const end = await run('env | grep -i proxy; curl -sS -m 5 http://allowed.test/x', [])
    expect(end).toMatchObject({ reached: [], refused: [] })
    expect(end.text).toMatch(/Could not resolve host: allowed\.test/)
  })

  test('control: the denied name is reached once it is allowed', async () => {
    expect(await run('curl -sS -m 10 --cacert ca.crt https://denied.test/x', [...DOMAINS, 'denied.test'])).toMatchObject({
      code: 0,
      reached: ['denied.test /x'],
    })
  })
})
