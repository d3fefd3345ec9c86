import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { chmodSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proof } from '#tests/helpers/proof.ts'
import { livingProcesses, residentMiB } from '../../main/command-host/living-processes.ts'
import { settles } from '../../main/command-host/settles.ts'
import { catalog } from '#workers/tools/catalog/index.ts'
import { createToolsHandlers } from '#workers/tools/service.ts'
import { createToolBench, type RunAnswer, type ToolBench } from './tool-bench.ts'

/** The collector, which Node hides unless asked. */
const collectGarbage = ((): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()

let bench: ToolBench
beforeEach(async () => {
  bench = await createToolBench()
})
afterEach(() => bench.close())

const seen = (answer: RunAnswer): string => answer.result.summary ?? String(answer.result.result)
const unique = (name: string): string => `tc_${name}${process.pid}${Math.trunc(performance.now())}`

test('output, errors and exit code come back', async () => {
  const answer = await bench.call('run_command', { command: 'echo out; echo err >&2; exit 3' })
  expect(answer).toMatchObject({
    outcome: 'error',
    result: { success: false, error: 'Exit code 3.' },
    display: { exitCode: 3, timedOut: false },
  })
  expect(seen(answer).split('\n').sort()).toEqual(['[Exit code 3.]', 'err', 'out'])
})

test('keys and loader variables of the app are not in a command’s environment', async () => {
  const planted = {
    OPENAI_API_KEY: 'sk-canary',
    DEEPSEEK_API_KEY: 'canary2',
    NODE_OPTIONS: '--no-warnings',
    LD_PRELOAD: '',
    BASH_ENV: '/tmp/x',
    GIT_DIR: '/x',
    METONA_HOME: '/secret-home',
  }
  const before = { ...process.env }
  Object.assign(process.env, planted)
  try {
    const text = seen(await bench.call('run_command', { command: 'env' }))
    for (const name of Object.keys(planted)) expect(text).not.toMatch(new RegExp(`^${name}=`, 'm'))
    expect(text).not.toContain('canary')
    expect(text).toMatch(/^PATH=/m)
  } finally {
    for (const name of Object.keys(planted)) delete process.env[name]
    Object.assign(process.env, before)
  }
})

test('programs of the workspace do not stand in for system programs through PATH', async () => {
  const before = process.env['PATH'] ?? ''
  await bench.file('bin/ls', '#!/bin/sh\necho planted\n')
  process.env['PATH'] = `${join(bench.workspace, 'bin')}:.:${before}`
  try {
    expect(seen(await bench.call('run_command', { command: 'chmod +x bin/ls; ls; echo "$PATH"' }))).not.toMatch(
      /planted|ws\/bin|:\.:|^\.:/m,
    )
  } finally {
    process.env['PATH'] = before
  }
})

test.each([
  'read answer; echo "got:$answer"',
  'cat; echo end',
  'python3 -c "input()" 2>/dev/null; echo end',
  'git -c credential.helper= clone https://localhost:1/x 2>&1; echo end',
  'sudo -k true 2>&1 | head -1; echo end',
  'ssh -oConnectTimeout=2 localhost true 2>&1; echo end',
])('nothing waits for an answer: %s', async (command) => {
  const answer = await bench.call('run_command', { command, timeout_ms: 20_000 })
  expect(answer.display).toMatchObject({ timedOut: false })
})

test('there is no terminal to ask on', async () => {
  expect(
    seen(await bench.call('run_command', { command: 'tty; (echo x > /dev/tty) 2>/dev/null && echo has-terminal || echo none' })),
  ).toMatch(/not a tty\nnone/)
})

test('GBK output is readable', async () => {
  await bench.file('gbk.txt', iconv.encode('编译失败：找不到文件\n', 'gbk'))
  expect(seen(await bench.call('run_command', { command: 'cat gbk.txt; echo 正常' }))).toBe('编译失败：找不到文件\n正常\n[Exit code 0.]')
})

test('colours, titles, links and progress bars become plain text', async () => {
  expect(
    seen(await bench.call('run_command', { command: String.raw`printf '\033[31mred\033[0m \033]0;evil\007 10%%\r20%%\rdone\n'` })),
  ).toBe('done\n[Exit code 0.]')
})

test('long output keeps head and tail, and the file has all of it, readable without asking', async () => {
  const answer = await bench.call('run_command', { command: 'seq 1 200000' })
  const text = seen(answer)
  expect(text.length).toBeLessThan(30_000)
  expect(text.startsWith('1\n2\n3\n')).toBe(true)
  expect(text.endsWith('199999\n200000\n[Exit code 0.]')).toBe(true)
  const path = String(answer.display?.['file'])
  expect(readFileSync(path, 'utf8').split('\n').length).toBe(200_001)
  const prepared = await bench.prepare('read_file', { file_path: path, offset: 100_000, limit: 1 })
  expect(prepared).not.toHaveProperty('mustAsk')
  expect(seen(await bench.call('read_file', { file_path: path, offset: 100_000, limit: 1 }))).toContain('100000\n')
  expect(await bench.prepare('read_file', { file_path: path }, { sessionId: 's_another001' })).toMatchObject({
    mustAsk: expect.objectContaining({ code: 'outside_workspace' }),
  })
})

test('output is shown while the command runs', async () => {
  let first: () => void = () => {}
  const arrived = new Promise<void>((resolve) => (first = resolve))
  const running = bench.call(
    'run_command',
    { command: 'echo begin; while [ ! -e go ]; do sleep 0.05; done; echo end' },
    { onLive: (message) => void ('output' in message && message.output.includes('begin') && first()) },
  )
  await arrived
  await bench.file('go', '')
  const answer = await running
  expect(answer.live.map((message) => ('output' in message ? message.output : '')).join('')).toBe('begin\nend\n')
})

test('the time limit ends the command and says so', async () => {
  const answer = await bench.call('run_command', { command: 'echo started; sleep 600', timeout_ms: 700 })
  expect(answer).toMatchObject({ outcome: 'error', stop: { survivors: [] } })
  expect(seen(answer)).toMatch(/^started\n\[Ended after the time limit of 700 ms\./)
})

describe.runIf(process.platform === 'linux')('Stop', () => {
  test.each([
    ['two sleeps', "sh -c 'sleep 600 & sleep 600'", 2],
    ['setsid', 'setsid sleep 600 & sleep 600', 2],
    ['nohup', 'nohup sleep 600 >/dev/null 2>&1 & sleep 600', 2],
  ])('%s: nothing alive after 3 s, and the record says what was ended', async (_name, command, least) => {
    const callId = unique('stop')
    const controller = new AbortController()
    const running = bench.call('run_command', { command }, { callId, signal: controller.signal })
    await settles(() => expect(livingProcesses(`METONA_CALL=${callId}`).length).toBeGreaterThanOrEqual(least))
    const asked = performance.now()
    controller.abort()
    const answer = await running
    expect(livingProcesses(`METONA_CALL=${callId}`)).toEqual([])
    expect(performance.now() - asked).toBeLessThan(10_000)
    expect(answer).toMatchObject({ outcome: 'aborted', stop: { survivors: [] } })
    expect(answer.stop?.processesFound).toBeGreaterThanOrEqual(least)
    expect(answer.stop?.processesKilled).toBe(answer.stop?.processesFound)
  })

  test('the marker stands in the arguments of the shell', async () => {
    const callId = unique('argv')
    const controller = new AbortController()
    const running = bench.call('run_command', { command: 'sleep 600; true' }, { callId, signal: controller.signal })
    const [pid] = await settles(() => {
      const found = livingProcesses(`METONA_CALL=${callId}`).filter((candidate) =>
        readFileSync(`/proc/${candidate}/cmdline`, 'latin1').includes(`METONA_CALL=${callId}`),
      )
      expect(found.length).toBeGreaterThan(0)
      return found
    })
    expect(pid).toBeTypeOf('number')
    controller.abort()
    await running
  })

  test('`yes` does not fill the memory', async () => {
    const seconds = proof(10, 3)
    const controller = new AbortController()
    await bench.call('run_command', { command: 'true' })
    const hostPid = bench.host()?.pid ?? 0
    // What is held, not what the collector has not got round to: this process also carries the test runner.
    const held = (): number => {
      collectGarbage()
      const { heapUsed, external } = process.memoryUsage()
      return (heapUsed + external) / 1024 / 1024
    }
    const before = { app: held(), host: residentMiB(hostPid) }
    let most = { app: 0, host: 0 }
    const watch = setInterval(() => {
      most = { app: Math.max(most.app, held()), host: Math.max(most.host, residentMiB(hostPid)) }
    }, 200)
    const timer = setTimeout(() => controller.abort(), seconds * 1000)
    const answer = await bench.call('run_command', { command: 'yes' }, { signal: controller.signal })
    clearInterval(watch)
    clearTimeout(timer)
    expect(answer.outcome).toBe('aborted')
    expect(Number(answer.display?.['bytes'])).toBeGreaterThan(1_000_000)
    const risen = most.app - before.app + most.host - before.host
    process.stderr.write(`yes for ${seconds} s: ${String(answer.display?.['bytes'])} bytes, memory rose ${risen.toFixed(0)} MiB\n`)
    expect(risen).toBeLessThan(100)
    expect(seen(answer).length).toBeLessThan(30_000)
  })

  test('a command whose host is killed is reported as unknown, and the next command works', async () => {
    const callId = unique('lost')
    const running = bench.call('run_command', { command: 'echo begun; sleep 600' }, { callId })
    await settles(() => expect(livingProcesses(`METONA_CALL=${callId}`).length).toBeGreaterThanOrEqual(1))
    process.kill(bench.host()?.pid ?? 0, 'SIGKILL')
    const answer = await running
    expect(answer.outcome).toBe('unknown')
    await settles(() => expect(livingProcesses(`METONA_CALL=${callId}`)).toEqual([]))
    expect(seen(await bench.call('run_command', { command: 'echo again' }))).toBe('again\n[Exit code 0.]')
  })
})

describe('what is known of a command before it runs', () => {
  beforeEach(async () => {
    await bench.file('a.txt', 'x')
    await bench.file('.env', 'KEY=x')
    await bench.file('sub/b.txt', 'x')
    symlinkSync(bench.outside, join(bench.workspace, 'out'))
    symlinkSync('../.env', join(bench.workspace, 'sub/innocent'))
  })

  test.each(['ls -la', 'cat a.txt sub/b.txt', 'cd sub && cat b.txt', 'grep -n x a.txt | head -5', 'cat missing.txt'])(
    '%s only looks',
    async (command) => {
      expect(await bench.prepare('run_command', { command })).toMatchObject({ ok: true, harmless: true, display: command })
    },
  )

  test.each([
    'cat /etc/passwd',
    'cat ../ws-evil/x',
    'cat out/x',
    'ls out',
    'cat .env',
    'cat sub/innocent',
    'cd .. && cat ws/a.txt',
    'cd sub && cat ../../ws-evil/x',
    'cd out && cat x',
    'cat /proc/self/environ',
    'head -c 10 /dev/zero',
    'cat a.txt; rm a.txt',
  ])('%s is not waved through', async (command) => {
    const prepared = await bench.prepare('run_command', { command })
    expect(prepared).toMatchObject({ ok: true })
    expect(prepared).not.toHaveProperty('harmless')
  })

  test('a grant is offered for exactly one part that begins the line, and never for what can run anything', async () => {
    const offered = async (command: string): Promise<unknown> =>
      ((await bench.prepare('run_command', { command })) as { grantPrefix?: string }).grantPrefix
    expect(await offered('npm test')).toBe('npm test')
    expect(await offered('npm test 2>&1 | tail -20')).toBe('npm test 2>&1')
    for (const command of [
      'npm test; x',
      'npm test && npm run y',
      'cd sub && npm test',
      'echo x | npm test',
      'npx x',
      'bash x.sh',
      'git commit',
      'rm a.txt',
      './x.sh',
      'npm test $(id)',
    ])
      expect(await offered(command), command).toBeUndefined()
  })

  test('what cannot be read says why it asks', async () => {
    expect(await bench.prepare('run_command', { command: 'echo $(id)' })).toMatchObject({
      mustAsk: { code: 'command_unclear', params: { what: 'variable' } },
    })
    expect(await bench.prepare('run_command', { command: 'ls \u202e' })).toMatchObject({
      mustAsk: { code: 'hidden_characters' },
      display: 'ls ⟨U+202E⟩',
    })
  })
})

describe('a script that a command names', () => {
  const approveThenChange = async (command: string, change: () => Promise<unknown>): Promise<string> => {
    const place = { workspace: bench.workspace, sessionId: 's_test000001', sandbox: 'off' as const }
    const call = { id: unique('script'), name: 'run_command', args: { command }, iteration: 1, timestamp: 1 }
    const context = { signal: new AbortController().signal }
    const prepared = await bench.handlers.prepare({ place, call }, context)
    if (!prepared.ok) throw new Error('it was refused')
    await change()
    const { port1, port2 } = new MessageChannel()
    const answer = await bench.handlers.run({ place, call, argumentsHash: prepared.argumentsHash, port: port2 as never }, context)
    port1.close()
    return seen({ ...answer })
  }
  beforeEach(async () => {
    await bench.file('run.sh', '#!/bin/sh\necho as approved\n')
    await bench.file('sub/run.js', 'console.log("as approved")\n')
    await bench.file('data.txt', 'as approved\n')
    for (let index = 0; index < 30; index += 1) await bench.file(`many/${index}`, 'echo as approved\n')
    chmodSync(join(bench.workspace, 'run.sh'), 0o755)
  })

  test.each([
    ['./run.sh', 'run.sh'],
    ['sh run.sh', 'run.sh'],
    ['cd sub && node run.js', 'sub/run.js'],
    ['for i in 1 2; do ./run.sh; done', 'run.sh'],
    ['X=$(sh run.sh) && echo "$X"', 'run.sh'],
    ['env sh ./run.sh', 'run.sh'],
    ['eval \\./run.sh', 'run.sh'],
    ['timeout 60 node sub/run.js', 'sub/run.js'],
    ['env A=1 node sub/run.js', 'sub/run.js'],
    ['node --stack-size 900 sub/run.js', 'sub/run.js'],
    ['node --require=./sub/run.js -e 1', 'sub/run.js'],
    ['sh -c "exit 0" data.txt', 'data.txt'],
    [`sh ${Array.from({ length: 30 }, (_, index) => `many/${index}`).join(' ')}`, 'many/29'],
  ])('%s: changed after the approval, nothing is run', async (command, file) => {
    const before = readFileSync(join(bench.workspace, file), 'utf8')
    expect(await approveThenChange(command, () => bench.file(file, before.replace('as approved', 'changed')))).toMatch(
      /was changed after this command was approved\. Nothing was run/,
    )
  })

  test.each([
    ['node late.js', 'late.js'],
    ['./late.sh', 'late.sh'],
    [`sh -c 'sh sub/late.sh'`, 'sub/late.sh'],
    ['cd sub && node late.js', 'sub/late.js'],
  ])('%s: made after the approval, nothing is run', async (command, file) => {
    expect(await approveThenChange(command, () => bench.file(file, 'console.log("late")\n'))).toMatch(
      /was made after this command was approved\. Nothing was run/,
    )
  })

  test('control: what a command names and makes itself is no change, nor is a folder that has come', async () => {
    expect(await approveThenChange('echo made > late.txt; cat late.txt late', () => bench.file('late/x', ''))).toContain('made\n')
  })

  test.each([
    ['larger than what is looked at', async () => truncateSync(await bench.file('run.js', ''), 33 * 1024 * 1024), 'node run.js'],
    [
      'more than are looked at',
      async () => {
        for (let index = 0; index < 101; index += 1) await bench.file(`m/${index}`, '')
      },
      `node ${Array.from({ length: 101 }, (_, index) => `m/${index}`).join(' ')}`,
    ],
  ])('%s: asked about every time', async (_name, make, command) => {
    await make()
    const prepared = await bench.prepare('run_command', { command })
    expect(prepared).toMatchObject({ ok: true, mustAsk: { code: 'files_unbound' } })
    expect(prepared).not.toHaveProperty('grantPrefix')
  })

  test.each([
    ['echo changed', 'The arguments, or the files the call is about, are not the ones that were approved'],
    ['echo as approved', '[Exit code 0.]'],
  ])('after a restart of the tools, with %s in the file', async (content, expected) => {
    await bench.file('run.sh', 'echo as approved\n')
    const place = { workspace: bench.workspace, sessionId: 's_test000001', sandbox: 'off' as const }
    const call = { id: unique('script'), name: 'run_command', args: { command: 'sh run.sh' }, iteration: 1, timestamp: 1 }
    const context = { signal: new AbortController().signal }
    const prepared = await bench.handlers.prepare({ place, call }, context)
    if (!prepared.ok) throw new Error('it was refused')
    await bench.file('run.sh', `${content}\n`)
    const restarted = createToolsHandlers(catalog, bench.services)
    const { port1, port2 } = new MessageChannel()
    const answer = await restarted.run({ place, call, argumentsHash: prepared.argumentsHash, port: port2 as never }, context)
    port1.close()
    expect(seen(answer)).toContain(expected)
  })

  test.each([
    ['cat .env | sort > out.txt', '.env'],
    ['node read.js --file=.env', '.env'],
    ['cat "$X" ~/.ssh/id_rsa && sh .env.local', 'id_rsa'],
    ['node ../ws-evil/key.pem', 'key.pem'],
    ['node sub/run.js', undefined],
  ])('%s names what may hold secrets: %s', async (command, secret) => {
    const prepared = await bench.prepare('run_command', { command })
    if (!prepared.ok) throw new Error('it was refused')
    expect(prepared.secret === undefined ? undefined : prepared.secret.split('/').at(-1)).toBe(secret)
  })

  test('is run when it is as it was', async () => {
    expect(await approveThenChange('./run.sh', () => Promise.resolve())).toContain('as approved')
  })

  test('a file that is only read may change', async () => {
    expect(await approveThenChange('cat data.txt', () => bench.file('data.txt', 'newer\n'))).toContain('newer')
  })

  test('taken away and replaced by a link, nothing is run', async () => {
    const replace = async (): Promise<void> => {
      rmSync(join(bench.workspace, 'run.sh'))
      symlinkSync('/bin/true', join(bench.workspace, 'run.sh'))
    }
    expect(await approveThenChange('./run.sh', replace)).toMatch(/was changed after/)
  })
})

describe('background commands', () => {
  test('run on, give what is new, and end with everything they started', async () => {
    const callId = unique('background')
    const started = await bench.call(
      'run_command',
      { command: 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; setsid sleep 600 & sleep 600', background: true },
      { callId },
    )
    expect(seen(started)).toMatch(/^Running in the background as cmd_1 \(process \d+\)[\s\S]*one/)
    await bench.file('go', '')
    await settles(async () => expect(seen(await bench.call('command_output', { command_id: 'cmd_1' }))).toContain('two'))
    const stopped = await bench.call('stop_command', { command_id: 'cmd_1' })
    expect(stopped.stop).toMatchObject({ survivors: [] })
    expect(livingProcesses(`METONA_CALL=${callId}`)).toEqual([])
  })

  test('one that ends at once is reported with its exit code', async () => {
    expect(seen(await bench.call('run_command', { command: 'echo no; exit 4', background: true }))).toBe('no\n[Exit code 4.]')
  })

  test('belong to their session and end with it', async () => {
    const callId = unique('session')
    await bench.call('run_command', { command: 'sleep 600 & sleep 600', background: true }, { callId })
    expect(seen(await bench.call('command_output', { command_id: 'cmd_1' }, { sessionId: 's_another001' }))).toMatch(
      /has no background command cmd_1/,
    )
    const { survivors } = await bench.handlers.endSession({ sessionId: 's_test000001' }, { signal: new AbortController().signal })
    expect(survivors).toEqual([])
    expect(livingProcesses(`METONA_CALL=${callId}`)).toEqual([])
  })
})
