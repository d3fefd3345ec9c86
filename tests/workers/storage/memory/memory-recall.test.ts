/**
 * Questions as people ask them against what was remembered in other words. Two sets of our own: ranking and word lists were tuned on
 * the first. The second was written afterwards, half of it about other subjects; its wrong answers showed that names need rules, but no
 * word list and no threshold was fitted to it. That neither is made easy is
 * checked here, with word lists that share nothing with the code under test.
 */
import { readFileSync } from 'node:fs'
import DatabaseConstructor from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seededRandom } from '#tests/helpers/random.ts'
import { openStorage, removeBase, type TestStorage } from '../open-storage.ts'

interface Fixture {
  readonly items: readonly { readonly id: string; readonly content: string }[]
  readonly questions: readonly { readonly question: string; readonly item: string | null }[]
}
const read = (name: string): Fixture => JSON.parse(readFileSync(`tests/fixtures/memories/${name}.json`, 'utf8')) as Fixture
const tuned = read('questions')
const written = read('held-out')
/** Its questions are asked of a store that holds the items of both. */
const heldOut: Fixture = { items: [...tuned.items, ...written.items], questions: written.questions }
const isAnswerable = ({ item }: Fixture['questions'][number]): boolean => item !== null

const GRAMMAR = new Set(
  'a an and any are as at be before by can come did do does down for from has have how i in is it its long may me most much must my never no not of often on one our out should so some the their them there they this to under until up us use was we what when where which who whose why with your 3 的 了 吗 是 在 什么 多久 多少 怎么 怎么办 哪个 哪里 哪家 哪 谁 几 个 时候 用 要 能 能不能 可以 应该 给 到 会 有 里 时 当初 为什么 怎样 把 被 和 不 得 最多 将 他 吧 比较 好 来 去 着 这 那 些 上 下'.split(
    ' ',
  ),
)
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Crude on purpose: words cut to their first five letters, Chinese as the platform's dictionary cuts it. */
function contentWords(text: string): Set<string> {
  const words = [...segmenter.segment(text.toLowerCase())].filter(({ isWordLike }) => isWordLike === true).map(({ segment }) => segment)
  return new Set(words.filter((word) => !GRAMMAR.has(word)).map((word) => (/^[a-z]/.test(word) ? word.slice(0, 5) : word)))
}

const shared = (one: string, other: string): number => {
  const words = contentWords(other)
  return [...contentWords(one)].filter((word) => words.has(word)).length
}

interface Asked {
  readonly storage: TestStorage
  /** Of the fixture, by that of the store. */
  readonly ids: ReadonlyMap<string, string>
}
async function remember(fixture: Fixture, seed: string): Promise<Asked> {
  const random = seededRandom(seed)
  let clock = Date.parse('2026-01-01T00:00:00.000Z')
  const storage = openStorage(undefined, { now: () => new Date(clock).toISOString() })
  await storage.open()
  const ids = new Map<string, string>()
  const shuffled = fixture.items.map((item) => ({ item, place: random.next() })).toSorted((one, other) => one.place - other.place)
  for (const { item } of shuffled) {
    clock += Math.floor(random.between(0, 86_400_000))
    const stored = await storage.service.memoryAdd({
      workspace: storage.folder,
      item: { content: item.content, source: 'imported', importance: Math.round(random.next() * 10) / 10 },
    })
    ids.set(stored.item.id, item.id)
  }
  return { storage, ids }
}
let tunedStore: Asked
let heldOutStore: Asked
beforeAll(async () => {
  tunedStore = await remember(tuned, 'memory questions')
  heldOutStore = await remember(heldOut, 'memory questions, held out')
})
afterAll(async () => {
  for (const { storage } of [tunedStore, heldOutStore]) {
    await storage.close()
    removeBase(storage.base)
  }
})

type Find = (query: string) => Promise<(string | undefined)[]>
const asking =
  ({ storage, ids }: Asked, purpose: 'everything' | 'relevant'): Find =>
  async (query) =>
    (await storage.service.memorySearch({ workspace: storage.folder, query, purpose, limit: 5 })).hits.map((hit) => ids.get(hit.id))

/** Of the questions that have an answer, the share whose answer is among the first five; the others are printed. */
async function recallAtFive(name: string, { questions }: Fixture, find: Find): Promise<number> {
  const answerable = questions.filter(isAnswerable)
  const missed: string[] = []
  for (const { question, item } of answerable) if (!(await find(question)).slice(0, 5).includes(item ?? '')) missed.push(question)
  const share = 1 - missed.length / answerable.length
  process.stdout.write(`${name}: R@5 ${share.toFixed(3)}; missed: ${missed.join(' ')}\n`)
  return share
}

/** The questions without an answer that bring something up all the same. */
async function wronglyAnswered(name: string, { questions, items }: Fixture, find: Find): Promise<string[]> {
  const wrong: string[] = []
  for (const { question } of questions.filter((other) => !isAnswerable(other))) {
    const found = await find(question)
    if (found.length > 0) wrong.push(`${question} -> ${items.find(({ id }) => id === found[0])?.content ?? ''}`)
  }
  process.stdout.write(`${name}: ${wrong.length} questions without an answer brought something up: ${wrong.join(' | ')}\n`)
  return wrong
}

it.each([
  ['tuned', tuned, 80, 20, 8],
  ['held out', heldOut, 90, 30, 15],
])('the set %s is not made easy', (name, fixture, answers, silent, leastTempting) => {
  const answerable = fixture.questions.filter(isAnswerable)
  const unanswerable = fixture.questions.filter((question) => !isAnswerable(question))
  const contentOf = new Map(fixture.items.map((item) => [item.id, item.content]))
  const overlaps = answerable.map(({ question, item }) => shared(question, contentOf.get(item ?? '') ?? ''))
  const few = overlaps.filter((count) => count <= 1).length
  process.stdout.write(
    `${name}: at most one content word shared: ${few} of ${answerable.length}; none: ${overlaps.filter((count) => count === 0).length}\n`,
  )
  expect([answerable.length, unanswerable.length]).toEqual([answers, silent])
  expect(few).toBeGreaterThanOrEqual(answers / 2)
  // Some of those without an answer share a word with what is stored: being about the same people must not be enough.
  const tempting = unanswerable.filter(({ question }) => fixture.items.some((item) => shared(question, item.content) > 0)).length
  process.stdout.write(`${name}: unanswerable ones that share a word with some item: ${tempting} of ${silent}\n`)
  expect(tempting).toBeGreaterThanOrEqual(leastTempting)
  const chinese = fixture.questions.filter(({ question }) => /\p{Script=Han}/u.test(question)).length
  expect(Math.min(chinese, fixture.questions.length - chinese) / fixture.questions.length).toBeGreaterThanOrEqual(0.4)
})

it('tuned: at least nine of ten answers are among the first five found', async () => {
  expect(await recallAtFive('tuned, searched', tuned, asking(tunedStore, 'everything'))).toBeGreaterThanOrEqual(0.9)
})

it('tuned: a question nothing answers brings up nothing unasked, and seven of ten that have an answer bring it up', async () => {
  const find = asking(tunedStore, 'relevant')
  expect(await wronglyAnswered('tuned', tuned, find)).toEqual([])
  expect(await recallAtFive('tuned, unasked', tuned, find)).toBeGreaterThanOrEqual(0.7)
})

it('held out: gated a little below what is reached, which is less than on the tuned set', async () => {
  const searched = await recallAtFive('held out, searched', heldOut, asking(heldOutStore, 'everything'))
  const find = asking(heldOutStore, 'relevant')
  const unasked = await recallAtFive('held out, unasked', heldOut, find)
  const wrong = await wronglyAnswered('held out', heldOut, find)
  expect([searched >= 0.85, unasked >= 0.65, wrong.length <= 4]).toEqual([true, true, true])
})

it('control: words as a plain full-text index knows them find far fewer', async () => {
  const database = new DatabaseConstructor(':memory:')
  database.exec("CREATE VIRTUAL TABLE plain USING fts5(content, tokenize='porter unicode61')")
  for (const { content } of tuned.items) database.prepare('INSERT INTO plain (content) VALUES (?)').run(content)
  const find = database.prepare<[string], { content: string }>('SELECT content FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 5')
  const idOf = new Map(tuned.items.map((item) => [item.content, item.id]))
  const plain = await recallAtFive('plain index', tuned, async (query) => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
    return find.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ content }) => idOf.get(content))
  })
  expect(plain).toBeLessThan(0.6)
})
