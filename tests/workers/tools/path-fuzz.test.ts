/** Nothing outside the workspace is opened or changed. The oracle is what the kernel was asked, not what the tools say. */
// long: thousands of traced calls
import { execFile, spawnSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proof } from '#tests/helpers/proof.ts'
import { createToolBench, type ToolBench } from './tool-bench.ts'

const STRACE = spawnSync('strace', ['-V']).status === 0
const SEED = 20261130
const SEARCHING = ['find_files', 'search_text']
const LINUX = process.platform === 'linux'
if (!STRACE) process.stderr.write('not run: path fuzz under strace (strace is missing)\n')

describe.runIf(LINUX && (STRACE || process.env['CI'] === 'true'))('generated paths', () => {
  let base: string
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'metona-fuzz-')))
    const ws = join(base, 'ws')
    for (const folder of ['ws/sub', 'ws/deep/er', 'ws/.git/hooks', 'ws/.metona', 'ws/new', 'ws-evil/inner', 'profile'])
      mkdirSync(join(base, folder), { recursive: true })
    for (const file of [
      'ws/a.txt',
      'ws/sub/b.txt',
      'ws/..foo',
      'ws/a..b',
      'ws/..%5cx',
      'ws/..∕x',
      'ws/ spaced ',
      'ws/😀',
      'ws/-rf',
      'ws/.git/config',
      'ws/.metona/agent.db',
      'ws/deep/er/a.txt',
    ])
      writeFileSync(join(base, file), 'line\n')
    for (const file of ['ws-evil/secret.txt', 'ws-evil/inner/a.txt', 'ws-evil/a.txt']) writeFileSync(join(base, file), 'SECRET line\n')
    symlinkSync('../ws-evil', join(ws, 'out'))
    symlinkSync(join(base, 'ws-evil/secret.txt'), join(ws, 'out-file'))
    symlinkSync('sub', join(ws, 'in-link'))
    symlinkSync('sub/b.txt', join(ws, 'in-file-link'))
    symlinkSync('../ws-evil/nothing', join(ws, 'dangling'))
    symlinkSync('loop', join(ws, 'loop'))
    linkSync(join(ws, 'a.txt'), join(ws, 'hard.txt'))
    symlinkSync(ws, join(base, 'ws-link'))
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))

  test.each(['read_file', 'write_file', 'edit_file', 'list_directory', 'analyze_csv', 'find_files', 'search_text'])(
    '%s opens and changes nothing outside',
    { timeout: proof(3_600_000, 900_000) },
    async (tool) => {
      // Each call of the searching tools starts a program.
      const count = proof(10_000, SEARCHING.includes(tool) ? 150 : 1000)
      const before = snapshot(join(base, 'ws-evil'))
      const protectedBefore = [snapshot(join(base, 'ws/.git')), snapshot(join(base, 'ws/.metona'))]
      const log = join(base, 'strace.log')
      const script = new URL('./path-fuzz-process.ts', import.meta.url).pathname
      const { stdout } = await promisify(execFile)(
        'strace',
        [
          '-f',
          '-qq',
          '-y',
          '--seccomp-bpf',
          '-s',
          '200',
          '-o',
          log,
          '-e',
          'trace=openat,open,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,truncate,link,linkat,symlink,symlinkat',
          process.execPath,
          script,
          join(base, 'ws'),
          join(base, 'profile'),
          tool,
          String(count),
          String(SEED),
        ],
        { maxBuffer: 64 * 1024 * 1024 },
      )
      const { accepted, leaks } = JSON.parse(stdout) as { accepted: number; leaks: string[] }
      process.stderr.write(`paths of ${tool}: ${count}, carried out: ${accepted}, seed ${SEED}\n`)
      expect(leaks).toEqual([])
      expect(accepted / count, `accepted share of ${tool}`).toBeGreaterThan(0.3)
      expect(accepted / count, `accepted share of ${tool}`).toBeLessThan(0.7)
      expect(openedOutside(readFileSync(log, 'utf8'), base)).toEqual([])
      expect(snapshot(join(base, 'ws-evil'))).toEqual(before)
      expect([snapshot(join(base, 'ws/.git')), snapshot(join(base, 'ws/.metona'))]).toEqual(protectedBefore)
    },
  )

  test('control: the oracle sees an open of the file outside', async () => {
    const log = join(base, 'strace.log')
    await promisify(execFile)('strace', ['-f', '-qq', '-y', '-o', log, '-e', 'trace=openat,open', 'cat', join(base, 'ws/out-file')])
    expect(openedOutside(readFileSync(log, 'utf8'), base).length).toBeGreaterThan(0)
  })
})

/** Lines where an object of the outside folder was opened for its content, or changed. Naming it (O_PATH) opens nothing. */
function openedOutside(log: string, base: string): string[] {
  return log.split('\n').filter((line) => {
    const opened = /= \d+<([^>]*)>\s*$/.exec(line)?.[1]
    if (opened?.startsWith(`${base}/ws-evil`) === true) return !line.includes('O_PATH')
    return /^\d+\s+(rename|unlink|mkdir|truncate|link|symlink|creat)/.test(line) && line.includes(`${base}/ws-evil`) && /= 0\s*$/.test(line)
  })
}

function snapshot(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    found[join(entry.parentPath, entry.name)] = entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'latin1') : 'folder'
  return found
}

describe.runIf(LINUX)('a name exchanged between folder and link while it is used', () => {
  let bench: ToolBench
  let flipper: Worker
  beforeEach(async () => {
    bench = await createToolBench()
    mkdirSync(join(bench.workspace, 'safe'))
    writeFileSync(join(bench.workspace, 'safe/x.txt'), 'line inside\n')
    writeFileSync(join(bench.outside, 'x.txt'), 'SECRET line\n')
    renameSync(join(bench.workspace, 'safe'), join(bench.workspace, 'flip'))
    symlinkSync(bench.outside, join(bench.workspace, 'link'))
    // The folder and the link take turns under one name. A tool may make the missing folder in between: it is cleared away.
    const source = `
      const { workerData } = require('node:worker_threads'); const { renameSync, rmSync } = require('node:fs'); const { join } = require('node:path')
      const at = (name) => join(workerData, name)
      const move = (from, to) => {
        for (;;) {
          try { return renameSync(at(from), at(to)) } catch (error) {
            if (!['ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EEXIST'].includes(error.code)) throw error
            try { rmSync(at(to), { recursive: true, force: true }) } catch (late) { if (late.code !== 'ENOTEMPTY') throw late }
          }
        }
      }
      for (;;) { move('flip', 'kept'); move('link', 'flip'); move('flip', 'link'); move('kept', 'flip') }`
    flipper = new Worker(source, { eval: true, workerData: bench.workspace })
  })
  afterEach(async () => {
    await flipper.terminate()
    await bench.close()
  })

  test.each(['read_file', 'list_directory', 'write_file', 'edit_file', 'analyze_csv', 'find_files', 'search_text'])(
    '%s, never approved, never reaches outside',
    { timeout: proof(3_600_000, 900_000) },
    async (tool) => {
      writeFileSync(join(bench.outside, 'SECRET-name'), '')
      // Places are what is tried here; that a file must have been read first would refuse nearly every edit.
      bench.services.guard.check = () => ({ kind: 'unchanged' })
      const place = { workspace: bench.workspace, sessionId: 's_race000001', sandbox: 'off' as const }
      const context = { signal: new AbortController().signal }
      const argumentsFor = (round: number): Record<string, unknown> => {
        if (tool === 'write_file') return { file_path: `flip/new${round % 7}.txt`, content: `${round}` }
        if (tool === 'edit_file') return { file_path: 'flip/x.txt', old_text: 'line', new_text: 'line ' }
        if (tool === 'find_files') return { pattern: '*', path: 'flip' }
        if (tool === 'search_text') return { pattern: 'line|[S]ECRET', path: round % 2 === 0 ? 'flip' : 'flip/x.txt' }
        return tool === 'list_directory' ? { path: 'flip' } : { file_path: 'flip/x.txt' }
      }
      let done = 0
      const rounds = proof(20_000, SEARCHING.includes(tool) ? 80 : tool === 'analyze_csv' ? 300 : 2000)
      for (let round = 0; round < rounds; round++) {
        const call = { id: `tc_race${String(round).padStart(8, '0')}`, name: tool, args: argumentsFor(round), iteration: 1, timestamp: 1 }
        const prepared = await bench.handlers.prepare({ place, call }, context)
        // What asks is not carried out: nobody answers here.
        if (!prepared.ok || prepared.mustAsk !== undefined) continue
        const { port1, port2 } = new MessageChannel()
        const answer = await bench.handlers.run({ place, call, argumentsHash: prepared.argumentsHash, port: port2 as never }, context)
        port1.close()
        expect(JSON.stringify(answer.result)).not.toContain('SECRET')
        if (answer.result.success) done++
      }
      process.stderr.write(`exchanges under ${tool}: ${rounds}, carried out: ${done}\n`)
      expect(readdirSync(bench.outside).sort()).toEqual(['SECRET-name', 'x.txt'])
      expect(readFileSync(join(bench.outside, 'x.txt'), 'utf8')).toBe('SECRET line\n')
      expect(done).toBeGreaterThan(0)
    },
  )

  test('control: checking the real path first and opening then does reach outside', { timeout: 300_000 }, async () => {
    let escapes = 0
    for (let round = 0; round < 200_000 && escapes === 0; round++) {
      const path = join(bench.workspace, 'flip/x.txt')
      try {
        if (!(await realpath(path)).startsWith(`${bench.workspace}/`)) continue
        if ((await readFile(path, 'utf8')).includes('SECRET')) escapes++
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    expect(escapes).toBeGreaterThan(0)
  })
})
