import { expect, test } from 'vitest'
import { seededRandom } from '#tests/helpers/random.ts'
import { indexPath, rankPaths } from '#workers/tools/domain/rank-paths.ts'

const names = (paths: string[], query: string, limit = 10): string[] =>
  rankPaths(paths.map(indexPath), query, limit).map(({ path }) => path)

test('a name that begins with the letters comes before one that holds them, before a folder, before letters apart', () => {
  const paths = ['config/read.ts', 'src/config.ts', 'src/my-config.ts', 'a/c/o/n/f/i/g', 'src/reconfigure.ts']
  expect(names(paths, 'config')).toEqual(['src/config.ts', 'src/my-config.ts', 'src/reconfigure.ts', 'config/read.ts', 'a/c/o/n/f/i/g'])
})

test('letters apart from each other are found in order only, and their places are told', () => {
  expect(rankPaths([indexPath('src/SessionManager.ts')], 'smgr', 5)).toEqual([{ path: 'src/SessionManager.ts', at: [7, 11, 15, 17] }])
  expect(names(['src/session.ts'], 'nosses')).toEqual([])
})

test('a part of the path with its slash is looked for in the path', () => {
  expect(names(['a/src/x.ts', 'src/b.ts', 'lib/c.ts'], 'src/')).toEqual(['src/b.ts', 'a/src/x.ts'])
})

test('without letters: what is nearest to the top', () => {
  expect(names(['a/b/c.ts', 'README.md', 'a/x.ts'], '', 2)).toEqual(['README.md', 'a/x.ts'])
})

test('fifty thousand paths are ranked within 50 ms of this thread', () => {
  const { next } = seededRandom('paths')
  const words = ['src', 'test', 'session', 'manager', 'provider', 'index', 'view', 'page', 'tool', 'config', 'main', 'worker']
  const word = (): string => words[Math.floor(next() * words.length)] ?? ''
  const paths = Array.from({ length: 50_000 }, (_, index) => indexPath(`${word()}/${word()}/${word()}-${word()}-${index}.ts`))
  for (const query of ['sess', 'smp', 'index-4', 'wkrcfg', 'nowhere-to-be-found']) {
    rankPaths(paths, query, 20)
    const before = process.cpuUsage()
    rankPaths(paths, query, 20)
    const spent = process.cpuUsage(before)
    const milliseconds = (spent.user + spent.system) / 1000
    console.log(`${query}: ${milliseconds.toFixed(1)} ms`)
    expect(milliseconds).toBeLessThan(50)
  }
})
