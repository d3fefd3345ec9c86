/** What happens to a sandbox while it is being made: it ends by itself, or whoever asked for it goes. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CommandReply } from '#contracts/tools/command-host-protocol.ts'
import { serveConnection } from '#main/command-host/connection.ts'
import type { OrphanGuard } from '#main/command-host/orphan-guard.ts'
import { readProcess } from '#main/command-host/process-table.ts'
import { SandboxStarter } from '#main/command-host/sandbox-starter.ts'
import { StandIns } from '#main/command-host/stand-ins.ts'
import { settles } from './settles.ts'

const TOKEN = 'token-of-sixteen-bytes'

// As root a control group is made meanwhile, which takes many turns; otherwise nothing comes between.
describe.skipIf(process.platform !== 'linux')(
  `a sandbox in the making, as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}`,
  () => {
    let base: string
    let server: Server
    let served: Socket
    let client: Socket
    let starter: SandboxStarter
    let whenStarted: (pid: number) => void
    let over: Promise<void>
    let replies: CommandReply[]
    let begun: string[]
    const groups = new Set<number>()

    beforeEach(async () => {
      base = await mkdtemp(join(tmpdir(), 'metona-early-'))
      whenStarted = () => {}
      replies = []
      begun = []
      const guard = {
        groupStarted: (pid: number) => {
          groups.add(pid)
          whenStarted(pid)
        },
        groupEnded: (pid: number) => void groups.delete(pid),
        commandHeld: () => {},
        commandReleased: () => {},
      } as unknown as OrphanGuard
      starter = new SandboxStarter('METONA_HOST=early', guard, base)
      const watched = {
        start: async (...asked: Parameters<SandboxStarter['start']>) => {
          const sandbox = await starter.start(...asked)
          begun.push(sandbox === undefined ? 'nothing' : 'a sandbox')
          return sandbox
        },
      } as unknown as SandboxStarter
      over = new Promise((closed) => {
        server = createServer((socket) => {
          served = socket
          serveConnection(socket, {
            token: TOKEN,
            hostMarker: 'METONA_HOST=early',
            deathPrefix: [],
            place: { standIns: new StandIns(0.5), guard, starter: watched },
            claim: () => true,
            closed,
          })
        })
      })
      await new Promise<void>((settle) => server.listen(join(base, 'socket'), settle))
      client = connect(join(base, 'socket'))
      let rest = ''
      client.on('error', () => {})
      client.on('data', (chunk) => {
        const lines = (rest + chunk.toString()).split('\n')
        rest = lines.pop() ?? ''
        replies.push(...lines.map((line) => JSON.parse(line) as CommandReply))
      })
      client.write(`${JSON.stringify({ type: 'hello', token: TOKEN })}\n`)
      await settles(() => expect(replies).toHaveLength(1))
    })
    afterEach(async () => {
      await starter.close()
      client.destroy()
      await over
      await new Promise((settle) => server.close(settle))
      await rm(base, { recursive: true, force: true })
      expect([...groups]).toEqual([])
    })

    const program = async (script: string): Promise<string> => {
      const path = join(base, 'program')
      await writeFile(path, `#!/bin/sh\n${script}\n`)
      await chmod(path, 0o755)
      return path
    }
    const start = (id: string, argv: readonly string[], more = {}): void => {
      const limits = { memoryBytes: Number.MAX_SAFE_INTEGER, processes: 1000 }
      const confinement = { root: base, standIns: [], links: [], unwanted: [], limits, commandAt: argv.length - 1 }
      client.write(
        `${JSON.stringify({ type: 'start', id, argv, cwd: base, env: { PATH: '/usr/bin:/bin' }, stdin: false, confinement, ...more })}\n`,
      )
    }
    const text = (id: string, stream: string): string =>
      replies
        .flatMap((reply) =>
          reply.type === 'output' && reply.id === id && reply.stream === stream ? [Buffer.from(reply.base64, 'base64').toString()] : [],
        )
        .join('')

    test('that ends at once is over, with what it said', async () => {
      const path = await program('seq 5000; echo why >&2; exit 3')
      whenStarted = (pid) => {
        // All it writes fits into the pipe. Nobody else gets a turn, so that its end is told first of all.
        while (readProcess(pid)?.zombie !== true);
      }
      for (const id of ['first', 'second']) {
        start(id, [path, '--', '/bin/true'], { timeoutMs: 60_000 })
        await settles(() =>
          expect(replies.find((reply) => reply.type === 'exit' && reply.id === id)).toMatchObject({ exitCode: 3, signal: null }),
        )
        expect(text(id, 'stdout').split('\n')).toHaveLength(5001)
        expect(text(id, 'stderr')).toBe('why\n')
      }
      // Nor is one that was made ahead and ended so counted as waiting.
      await settles(() => expect([...groups]).toEqual([]))
    })

    test('for somebody who has gone runs nothing', async () => {
      const path = await program(`cat <&"$2" >> ${base}/told; exec sleep 600`)
      whenStarted = () => void served.destroy()
      start('gone', [path, '--', '/bin/true'])
      await over
      expect(begun).toEqual(['nothing'])
      expect(await readFile(join(base, 'told'), 'utf8').catch(() => '')).toBe('')
    })
  },
)
