import { useSteadyText } from '#renderer/features/transcript/use-steady-text.ts'
import { emptySnapshot } from '#contracts/session/reduce-session.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { effectScope, shallowRef, type EffectScope } from 'vue'

let frames: (() => void)[]
let scope: EffectScope
beforeEach(() => {
  frames = []
  scope = effectScope()
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run))
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
})
afterEach(() => {
  scope.stop()
  vi.unstubAllGlobals()
})

const answer = (id: string, text: string, status: 'streaming' | 'done' = 'streaming'): SessionSnapshot => ({
  ...emptySnapshot('s_x'),
  items: [{ kind: 'assistant', id, turn: 1, iteration: 1, at: '', text, status }],
})
/** Follows `snapshot`. @returns the text on screen now. */
function follow(snapshot: { value: SessionSnapshot }): () => string {
  const steady = scope.run(() => useSteadyText(() => snapshot.value))
  return () => {
    const item = steady?.value.items[0]
    return item?.kind === 'assistant' ? item.text : ''
  }
}
const nextFrame = (): void => frames.splice(0).forEach((run) => run())

test('text that comes at a reader’s pace is the snapshot itself', () => {
  const snapshot = shallowRef(emptySnapshot('s_x'))
  const text = follow(snapshot)
  text()
  for (const words of ['one', 'one two', 'one two three']) {
    snapshot.value = answer('a', words)
    expect(text()).toBe(words)
  }
  expect(frames).toHaveLength(0)
})

test('a flood is shown a piece a frame, whatever comes in between, and all of it once it has ended', () => {
  const snapshot = shallowRef(emptySnapshot('s_x'))
  const text = follow(snapshot)
  text()
  snapshot.value = answer('a', 'x'.repeat(100_000))
  const first = text().length
  snapshot.value = answer('a', 'x'.repeat(200_000))
  expect([first < 10_000, text().length]).toEqual([true, first])
  nextFrame()
  expect(text().length).toBe(2 * first)
  snapshot.value = answer('a', 'x'.repeat(200_000), 'done')
  expect(text().length).toBe(200_000)
})

test('it catches up by itself when nothing more comes', () => {
  const snapshot = shallowRef(emptySnapshot('s_x'))
  const text = follow(snapshot)
  text()
  snapshot.value = answer('a', 'x'.repeat(30_000))
  text()
  for (let frame = 0; frame < 20 && text().length < 30_000; frame++) nextFrame()
  expect([text().length, frames.length]).toEqual([30_000, 0])
})

test('a stream that was under way when the conversation came on screen is there at once', () => {
  expect(follow(shallowRef(answer('a', 'x'.repeat(100_000))))().length).toBe(100_000)
})

test('no character is cut in two', () => {
  const snapshot = shallowRef(emptySnapshot('s_x'))
  const text = follow(snapshot)
  text()
  for (const lead of ['', 'x']) {
    snapshot.value = answer(`a${lead}`, lead + '😀'.repeat(20_000))
    expect(text().isWellFormed()).toBe(true)
  }
})
