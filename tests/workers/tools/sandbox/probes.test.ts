// needs: bwrap
// long: dozens of sandboxes, twice
/** What a command in the sandbox must not be able to do, tried for real, as root and as an ordinary user. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { proof } from '#tests/helpers/proof.ts'
import { folderState } from './folder-state.ts'
import { openSandboxBench, removeBundles, removeUser, testUsers, type SandboxBench } from './sandbox-bench.ts'

const without = missingProgram('bwrap', 'sandbox probes')
const users = without ? [] : testUsers()
const CANARIES = {
  OPENAI_API_KEY: 'sk-canary-one',
  GH_TOKEN: 'canary-two',
  AWS_SECRET_ACCESS_KEY: 'canary-three',
  METONA_HOME: '/canary-four',
}

/** Names a command must not write, and the ways to try. `D` is the name. */
const PROTECTED = (
  '.metona .git .git/config .git/hooks .git/commondir .git/config.worktree .gitattributes .gitmodules .mcp.json .cursor .vscode .idea .claude .codex ' +
  '.env .envrc .npmrc .yarnrc.yml .github .husky .pre-commit-config.yaml .bashrc AGENTS.md CLAUDE.md SOUL.md MEMORY.md USERS.md'
).split(' ')
const EXISTING = 'logs traces .zshrc .profile .ssh .netrc .env.local project.code-workspace .gitlab-ci.yml Jenkinsfile'.split(' ')
const WAYS = [
  'echo evil > "$D"',
  'echo evil >> "$D"',
  'mkdir -p "$D/sub" && echo evil > "$D/sub/x"',
  'echo evil > "$D/x"',
  'mv "$D" "$D.old"',
  'rm -rf "$D"',
  'ln -sfn /tmp "$D"',
  'cp -a /etc/hostname "$D"',
  'mkdir decoy && echo evil > decoy/x && mv -T decoy "$D"',
  'echo evil > decoyfile && mv -fT decoyfile "$D"',
  'chmod 777 "$D"',
  'touch -d 2001-01-01 "$D"',
  'truncate -s 0 "$D"',
  'find "$D" -type f -exec sh -c "echo evil > {}" ";"',
  `perl -e 'rename($ARGV[0], "moved") or exit 1' "$D"`,
  'mount -t tmpfs none "$D" || umount "$D"',
]
/** Inside `.git` and beside what a link leads to files come and go; what was held back from deciding anything is set aside. */
const ALLOWED = /^(\.git\/(?!config|hooks|modules|commondir)|conf\/(?!vscode|mcp)|\.metona\/set-aside)/
/** Left behind by a try that failed half way. */
const LITTER = /^(decoy|decoyfile|moved|.*\.old)(\/|$)/

let server: Server
let connections = 0
beforeAll(async () => {
  server = createServer((socket) => {
    connections++
    socket.end('HTTP/1.0 200 OK\r\n\r\nreached')
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
  for (const user of users.slice(1)) removeUser(user)
  await removeBundles()
})
const port = (): number => (server.address() as { port: number }).port

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

describe.each(users.map((user) => [user.uid === 0 ? 'root' : 'an ordinary user', user] as const))('as %s', (_name, user) => {
  let bench: SandboxBench
  beforeAll(async () => {
    bench = await openSandboxBench(user, CANARIES)
  })
  afterAll(() => bench.close())

  const text = async (command: string): Promise<string> => (await bench.run(command)).text
  const exitCode = async (command: string, sandboxed = true): Promise<number | null> => {
    const { exit } = await bench.run(command, { sandboxed })
    return exit.kind === 'exit' ? exit.exitCode : null
  }
  /** All in one command, each by itself. @returns those that went through. */
  const goneThrough = async (commands: readonly string[]): Promise<string[]> => {
    const lines = commands.map((command, index) => `( ${command} ) > /dev/null 2>&1; echo "tried ${index} $?"`)
    const tried = [...(await text(lines.join('\n'))).matchAll(/^tried (\d+) (\d+)$/gm)]
    expect(tried.length).toBe(commands.length)
    return tried.filter((line) => line[2] === '0').map((line) => commands[Number(line[1])] as string)
  }
  const asUser = (command: string): void => {
    const { status, stderr } = spawnSync('/bin/bash', ['-ec', command], {
      cwd: bench.workspace,
      uid: user.uid,
      gid: user.gid,
      env: { PATH: '/usr/bin:/bin', HOME: user.home, GIT_CONFIG_GLOBAL: '/dev/null' },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
  }

  test('the sandbox is there, and the process is the user it should be', () => {
    expect([bench.state, bench.uid]).toEqual([{ kind: 'bwrap' }, user.uid])
  })

  test('no privilege, no new one, no further namespace', async () => {
    const status = await text('grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status')
    expect(Object.fromEntries([...status.matchAll(/^(\w+):\s+(\w+)$/gm)].map((line) => [line[1], line[2]]))).toEqual({
      ...Object.fromEntries(['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => [name, '0000000000000000'])),
      NoNewPrivs: '1',
      Seccomp: '2',
    })
    expect(await goneThrough(['-Ur', '-m', '-n', '-p --fork', '-i'].map((flag) => `unshare ${flag} true`))).toEqual([])
  })

  test('parts of the kernel that nobody needs are closed', async () => {
    const calls = [
      's.socket(40, 1)',
      's.socket(38, 5)',
      's.socket(17, 3)',
      'c.syscall(250, 0, -4, 0) < 0 and 1/0',
      'c.syscall(321, 0, 0, 0) < 0 and 1/0',
      'c.syscall(425, 1, 0) < 0 and 1/0',
      'c.mount(b"none", b"/tmp", b"tmpfs", 0, 0) < 0 and 1/0',
    ]
    const python = (call: string): string => `python3 -c 'import ctypes, socket as s; c = ctypes.CDLL(None); ${call}'`
    const tries = (process.arch === 'x64' ? calls : calls.slice(0, 3)).map(python)
    tries.push(`python3 -c 'import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b"x")'`)
    expect(await goneThrough(tries)).toEqual([])
    // The same way to ask, for something that is open.
    expect(await goneThrough([python('s.socket(1, 1); s.socket(2, 1); s.socket(10, 1)')])).toHaveLength(1)
  })

  test('other processes are not visible and cannot be ended', async () => {
    const stranger = spawn('/bin/sleep', ['600'], { uid: user.uid, gid: user.gid })
    try {
      expect(await text('ps -eo args 2>/dev/null; cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toMatch(/sleep 600/)
      await exitCode(`kill -9 ${stranger.pid}; kill -9 -1`)
      expect(() => process.kill(stranger.pid as number, 0)).not.toThrow()
    } finally {
      stranger.kill('SIGKILL')
    }
  })

  test('no secret of the app is in any environment that can be seen', async () => {
    const seen = await text('env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"; set')
    for (const value of Object.values(CANARIES)) expect(seen).not.toContain(value)
    expect(seen).not.toMatch(/SSH_AUTH_SOCK|XDG_RUNTIME_DIR|DBUS_SESSION/)
  })

  test('keys, homes, the profile and what only root may read are not there', async () => {
    await writeFile(join(bench.profile, 'secret'), 'profile-canary')
    await mkdir(join(user.home, '.ssh'), { recursive: true, mode: 0o700 })
    const key = join(user.home, '.ssh', `canary-${process.pid}`)
    await writeFile(key, 'home-canary')
    await chown(key, user.uid, user.gid)
    const seen = await text(
      `cat ${key} ${bench.profile}/secret /etc/shadow /etc/gshadow /etc/sudoers; ls -A /root /home/* ~ ${bench.profile} /run /etc/ssh /etc/ssl/private; cat /tmp/* 2>/dev/null`,
    )
    spawnSync('rm', [key])
    expect(seen).not.toMatch(/home-canary|profile-canary|root:[^\n]*:/)
    expect(seen).not.toMatch(/^secret$|ssh_host/m)
  })

  test('nothing outside the folder can be written, not through links, not through what the kernel shows', async () => {
    await symlink(bench.outside, join(bench.workspace, 'link'))
    await writeFile(join(bench.outside, 'file'), 'before')
    await chown(join(bench.outside, 'file'), user.uid, user.gid)
    await symlink(join(bench.outside, 'file'), join(bench.workspace, 'filelink'))
    const before = await folderState(bench.outside)
    const base = join(bench.workspace, '..')
    const tries = [
      'echo x > link/new',
      'echo x > filelink',
      'rm link/file',
      `echo x > ${bench.outside}/new`,
      `mv ${bench.outside}/file ${bench.workspace}/taken`,
      `ln ${bench.outside}/file hard`,
      `touch ${base}/new`,
      `mv ${bench.workspace} ${base}/moved`,
      `rm -rf ${base}`,
      'echo x > ../new',
      'echo x > /proc/1/root/etc/new',
      'echo x > /proc/self/root/etc/new',
      'echo x > /etc/metona-probe',
      'echo x > /usr/local/bin/metona-probe',
      'echo x > /opt/metona-probe',
      'echo x > /srv/metona-probe',
      'echo x > /var/metona-probe',
      'echo x > /sys/kernel/uevent_helper',
      'echo x > /proc/sys/kernel/core_pattern',
      'echo b > /proc/sysrq-trigger',
      'mknod disk b 254 0 && cat disk',
      'chmod 4777 /bin/sh',
      'mount -o remount,rw /',
      'mount --bind / /tmp',
      'test -b /dev/vda -o -b /dev/sda',
      'echo x > /proc/sys/vm/overcommit_memory',
      'echo x > /proc/mtrr',
      'sudo -n true',
      'su -c true',
      'chroot / true',
      'nsenter -t 1 -m true',
    ]
    expect(await goneThrough(tries)).toEqual([])
    expect(await folderState(bench.outside)).toEqual(before)
    for (const path of ['/etc', '/usr/local/bin', '/opt', '/srv', '/var'])
      await expect(readFile(`${path}/metona-probe`)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('the private folders are writable, and gone with the command', async () => {
    expect(await exitCode('echo x > /tmp/mine && echo x > ~/mine && echo x > /var/tmp/mine && echo x > /dev/null && cat /tmp/mine')).toBe(0)
    expect(await exitCode('cat /tmp/mine ~/mine /var/tmp/mine')).toBe(1)
    for (const path of ['/tmp/mine', join(user.home, 'mine'), '/var/tmp/mine'])
      await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('no network: eight programs and the shell’s own device', async () => {
    const before = connections
    const place = `127.0.0.1:${port()}`
    const tries = [
      `curl -sS -m 5 http://${place}/`,
      `wget -q -T 5 -t 1 -O- http://${place}/`,
      `python3 -c "import urllib.request as u; print(u.urlopen('http://${place}/', timeout=5).read())"`,
      `node -e "fetch('http://${place}/').then(() => 0, () => process.exit(1))"`,
      `perl -MIO::Socket::INET -e 'IO::Socket::INET->new("${place}") or exit 1'`,
      `git ls-remote http://${place}/x`,
      `ssh -o ConnectTimeout=5 -o BatchMode=yes -o StrictHostKeyChecking=no -p ${port()} 127.0.0.1 true`,
      'getent hosts example.com',
      `echo x > /dev/tcp/127.0.0.1/${port()}`,
      `echo x > /dev/udp/8.8.8.8/53`,
      `python3 -c "import socket; socket.create_connection(('1.1.1.1', 53), 3)"`,
    ]
    expect(await goneThrough(tries)).toEqual([])
    expect(connections).toBe(before)
    expect(await text('tail -n +3 /proc/net/dev | cut -d: -f1 | grep -v lo; tail -n +2 /proc/net/route')).toBe('')
  })

  describe('protected names', () => {
    const attack = async (names: readonly string[], sandboxed = true): Promise<string[]> => {
      const before = await folderState(bench.workspace, (path) => LITTER.test(path))
      // In the small tier root, where there is another user as well, tries every fourth name.
      const tried = names.filter((_name, index) => user === users.at(-1) || !sandboxed || index % proof(1, 4) === 0)
      // A way that fails must not keep the next from being tried.
      const ways = WAYS.map((way) => `( ${way} ) 2>/dev/null; rm -rf decoy decoyfile "$D.old" moved 2>/dev/null`)
      await bench.run(`for D in ${tried.join(' ')}; do\n${ways.join('\n')}\ndone`, { sandboxed, timeoutMs: 200_000 })
      const after = await folderState(bench.workspace, (path) => LITTER.test(path))
      const changed = after.filter((line) => !before.includes(line)).concat(before.filter((line) => !after.includes(line)))
      return changed.filter((line) => !ALLOWED.test(line))
    }
    const fresh = async (): Promise<void> => asUser('find . -mindepth 1 -depth -exec rm -rf {} + || true')

    test('that do not exist: none of them can be made', async () => {
      await fresh()
      expect(await attack(PROTECTED)).toEqual([])
    })

    test('that exist: none of them can be changed', async () => {
      await fresh()
      asUser(
        'git init -q . && git config user.name t && mkdir .metona .vscode .github logs traces .ssh && echo 1 | tee .metona/agent.db .vscode/tasks.json',
      )
      const missing = [...PROTECTED, ...EXISTING].filter(
        (name) => !/^(\.git(\/.*)?|\.metona|\.vscode|\.github|logs|traces|\.ssh)$/.test(name),
      )
      for (const name of missing) asUser(`echo good > ${name}`)
      asUser('mkdir -p .git/modules/sub/hooks && echo good > .git/modules/sub/config && rm -rf .git/config.worktree .git/commondir')
      expect(
        await attack([...PROTECTED, ...EXISTING, '.git/modules', '.git/modules/sub/config', '.metona/agent.db', '.git/hooks/pre-commit']),
      ).toEqual([])
    })

    test('keys in the folder are masked, but for what git has anyway and what the command names', async () => {
      await fresh()
      asUser(
        'git init -q . && mkdir -p apps/web .aws certs && echo secret-1 > .env && echo secret-2 > apps/web/.env.local && echo secret-3 > id_ed25519 && echo secret-4 > .aws/credentials && echo public-5 > certs/test.pem && echo public-6 > .env.example',
      )
      asUser('git add certs .env.example && git -c user.name=t -c user.email=t@t commit -qm a')
      const before = await folderState(bench.workspace)
      const found = async (options = {}): Promise<string[]> =>
        [...(await bench.run('grep -rhE "^(secret|public)-" . 2>/dev/null', options)).text.matchAll(/\w+-\d/g)].map(String).sort()
      expect(await found()).toEqual(['public-5', 'public-6'])
      expect(await found({ secrets: [join(bench.workspace, '.env')] })).toEqual(['public-5', 'public-6', 'secret-1'])
      expect(await text('echo evil > .env; echo evil > .aws/x; mv .env b; git status --porcelain --untracked-files=no')).not.toMatch(
        /^ ?[DMT] /m,
      )
      expect(await folderState(bench.workspace, (path) => path === '.git/index')).toEqual(
        before.filter((line) => !line.startsWith('.git/index ')),
      )
      expect(await found({ sandboxed: false })).toEqual(['public-5', 'public-6', 'secret-1', 'secret-2', 'secret-3', 'secret-4'])
    })

    test('git passes over what is masked and adds the rest; the list it goes by is as before', async () => {
      await fresh()
      const inner = ['apps/we [b]!/.env.local', '#x/.env', 'deep/.aws/credentials', ' y /id_rsa']
      for (const name of ['.env', ...inner]) {
        await mkdir(join(bench.workspace, name, '..'), { recursive: true })
        await writeFile(join(bench.workspace, name), 'secret')
      }
      for (const name of ['a', 'apps/b', 'own.log', 'mine.tmp']) await writeFile(join(bench.workspace, name), 'text')
      spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, bench.workspace])
      asUser('git init -q . && git config user.name t && git config user.email t@t && printf "*.tmp" >> .git/info/exclude')
      asUser('echo "*.log" > .gitignore')
      const list = await readFile(join(bench.workspace, '.git', 'info', 'exclude'), 'utf8')
      expect(await text('git add -A && git commit -qm all && git ls-files && git status --porcelain')).toBe('.gitignore\na\napps/b\n')
      // Within `.git` a move crosses no mount.
      const ways = ['echo x >> .git/info/exclude', 'rm .git/info/exclude', 'mv .git/info b', 'mv .git/info .git/b', 'mv .git .b']
      const swaps = [
        'mv .git/info/exclude .git/info/b',
        'ln -sf /etc/passwd .git/info/exclude',
        'mkfifo .git/info/f && mv -f .git/info/f .git/info/exclude',
      ]
      expect(await goneThrough([...ways, ...swaps])).toEqual([])
      // Nothing of it is masked for this one, and the list is held all the same.
      const shown = ['.env', ...inner].map((name) => join(bench.workspace, name))
      expect((await bench.run(`${[...ways, ...swaps].join(' || ')} || echo kept`, { secrets: shown })).text).toMatch(/kept\n$/)
      expect(await exitCode('git sparse-checkout list; git update-server-info && git gc -q')).toBe(0)
      expect(await readFile(join(bench.workspace, '.git', 'info', 'exclude'), 'utf8')).toBe(list)
      expect((await bench.run('git add .env', { secrets: [join(bench.workspace, '.env')] })).exit).toMatchObject({ exitCode: 0 })
      // Now git has it, and the list cannot keep it out: it says which, and nothing is committed as deleted.
      asUser('git commit -qm secret && echo changed > .env')
      expect(await text('git add -A')).toMatch(/^error: \.env: can only add regular files/m)
    })

    test('settings of package managers are masked only where they hold a token', async () => {
      await fresh()
      const files: Record<string, string> = {
        '.npmrc': '//registry.npmjs.org/:_authToken=npm_secret1',
        'a/.npmrc': 'registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n# public-1',
        'b/.yarnrc.yml': 'npmAuthToken: "secret-2"',
        'c/pip.conf': '[global]\nindex-url = https://user:secret-3@pypi.example/simple',
        'd/pip.conf': '[global]\nindex-url = https://pypi.example/simple # public-2',
        'e/.docker/config.json': '{"auths":{"r.example":{"auth":"c2VjcmV0LTQ="}}}',
        'f/config.json': '{"password":"public-3"}',
        'g/.cargo/credentials.toml': '[registry]\ntoken = "secret-5"',
        'h/.git-credentials': 'https://user:secret-6@github.com',
        'i/.pypirc': '[pypi]\npassword = secret-7',
        'j/.netrc': 'machine x login y password secret-8',
      }
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(bench.workspace, name, '..'), { recursive: true })
        await writeFile(join(bench.workspace, name), content)
      }
      // The next test, as this user, has to be able to clear them away.
      spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, bench.workspace])
      const seen = await text(
        `cat .npmrc */.npmrc */.yarnrc.yml */pip.conf */.docker/config.json */config.json */.cargo/* */.git-credentials */.pypirc */.netrc`,
      )
      expect(seen).not.toMatch(/secret|c2VjcmV0/)
      expect([...seen.matchAll(/public-\d/g)].map(String).sort()).toEqual(['public-1', 'public-2', 'public-3'])
      const named = await bench.run('cat .npmrc', { secrets: [join(bench.workspace, '.npmrc')] })
      expect(named.text).toContain('npm_secret1')
    })

    test('that are links: what they lead to is held, and the link is as before', async () => {
      await fresh()
      asUser(
        'git init -q . && mkdir -p conf/vscode conf/claude .metona && echo good > conf/mcp.json && echo good > conf/vscode/tasks.json && echo good > notes.md',
      )
      asUser('ln -s conf/mcp.json .mcp.json && ln -s conf/vscode .vscode && ln -s notes.md CLAUDE.md && ln -s /etc/hostname .env')
      await symlink(bench.outside, join(bench.workspace, '.idea'))
      const changed = await attack([
        '.mcp.json',
        '.vscode',
        'CLAUDE.md',
        '.env',
        '.idea',
        'conf',
        'conf/mcp.json',
        'conf/vscode',
        'notes.md',
      ])
      expect(changed).toEqual([])
      expect(await folderState(bench.outside)).toEqual([expect.stringMatching(/^file /)])
    })

    test('that are links to what cannot be held: the command is refused', async () => {
      await fresh()
      for (const target of ['.', 'absent', '..']) {
        asUser(`ln -sfn ${target} .vscode`)
        expect([target, await bench.refusal('true')]).toEqual([
          target,
          expect.stringMatching(/^The command was not run: \.vscode is a link/),
        ])
      }
    })

    test('a repository is not replaced by moving it away or by making the folder one itself', async () => {
      await fresh()
      asUser('git init -q . && echo a > a && git add a && git -c user.name=t -c user.email=t@t commit -qm a')
      const config = await folderState(join(bench.workspace, '.git'), (path) => !/^(config|hooks)/.test(path))
      await bench.run('mv .git old; mkdir .git && echo "[core] fsmonitor = id" > .git/config; cp -r .git g2; mv g2 .git; rm -rf g2 old')
      await bench.run(
        'rm -f .git/HEAD; mkdir objects refs; echo "ref: refs/heads/main" > HEAD; printf "[core]\\n\\tfsmonitor = touch pwned; false\\n" > config',
      )
      // What a person's own git does there afterwards.
      spawnSync('git', ['status'], { cwd: bench.workspace, uid: user.uid, gid: user.gid, env: { PATH: '/usr/bin:/bin', HOME: user.home } })
      expect(await folderState(bench.workspace, (path) => path.startsWith('.git/'))).not.toContainEqual(
        expect.stringMatching(/pwned|^HEAD/),
      )
      expect(await folderState(join(bench.workspace, '.git'), (path) => !/^(config|hooks)/.test(path))).toEqual(config)
    })

    test('control: without the sandbox the same tries succeed', async () => {
      await fresh()
      asUser('git init -q . && mkdir .metona && echo good > .mcp.json')
      const changed = await attack(['.mcp.json', '.env', '.metona', '.git/config'], false)
      expect(changed.length).toBeGreaterThan(2)
      await bench.run(`echo x > ${bench.outside}/escaped`, { sandboxed: false })
      expect(await readFile(join(bench.outside, 'escaped'), 'utf8')).toBe('x\n')
      const before = connections
      await bench.run(`curl -sS -m 5 http://127.0.0.1:${port()}/`, { sandboxed: false })
      expect(connections).toBe(before + 1)
    })
  })

  test('ordinary work goes on as ever', async () => {
    asUser('find . -mindepth 1 -depth -exec rm -rf {} + || true; git init -q . && git config user.name t && git config user.email t@t')
    asUser(`printf '{"name":"a","private":true,"scripts":{"test":"node --test"}}' > package.json`)
    asUser(`printf 'const test = require("node:test"); test("adds", () => {})' > a.test.js`)
    asUser(`printf 'import unittest\nclass T(unittest.TestCase):\n  def test_a(self): self.assertEqual(1, 1)\n' > test_a.py`)
    asUser(`printf 'all: out.txt\nout.txt:\n\techo made > out.txt\n' > Makefile`)
    const work = [
      'npm test',
      'npm run test --silent',
      'python3 -m unittest',
      'make && cat out.txt',
      'git status --porcelain',
      'git add -A && git commit -q -m first && git log --oneline',
      'git checkout -q -b side && git diff HEAD --stat && git stash list',
      'rg --files',
      'rg -n adds',
      'seq 100000 | sort -rn | head -3',
      'mkdir -p build/deep && tar czf build/a.tgz *.py && tar tzf build/a.tgz',
      'mktemp && mktemp -d',
      'python3 -c "import tempfile, multiprocessing as m; print(tempfile.mkdtemp(), m.Queue())"',
      "node -e \"require('http').createServer().listen(0, '127.0.0.1', function () { this.close() })\"",
    ]
    for (const command of work) {
      const { exit, text: output } = await bench.run(command)
      expect([command, exit.kind === 'exit' && exit.exitCode, output]).toEqual([command, 0, output])
    }
    expect((await text('git status --porcelain')).trim()).toBe('?? build/')
    expect((await folderState(bench.workspace)).filter((line) => /^\.(?!git)/.test(line))).toEqual([])
  })
})
