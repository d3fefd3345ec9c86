import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairTurns } from '#workers/llm/domain/fair-turns.ts'

const drain = (turns: FairTurns<string>): string[] => {
  const order: string[] = []
  for (let next = turns.dequeue(); next !== undefined; next = turns.dequeue()) order.push(next)
  return order
}

describe('fair turns', () => {
  test('a session with many requests does not go before others that came later', () => {
    const turns = new FairTurns<string>()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.enqueue(name, { id: name, session: name[0] })
    expect(drain(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('who was served longest ago is next, also after its list was empty', () => {
    const turns = new FairTurns<string>()
    turns.enqueue('a1', { session: 'a' })
    turns.enqueue('b1', { session: 'b' })
    drain(turns)
    turns.enqueue('b2', { session: 'b' })
    turns.enqueue('a2', { session: 'a' })
    expect(turns.dequeue()).toBe('a2')
  })

  test('a request taken out leaves no hole and uses up no turn', () => {
    const turns = new FairTurns<string>()
    for (const name of ['a1', 'a2', 'b1']) turns.enqueue(name, { id: name, session: name[0] })
    turns.remove('a1')
    expect([turns.size, drain(turns)]).toEqual([2, ['a2', 'b1']])
  })

  test('the foretold order is the order that comes, whatever was asked and served', () => {
    const check = fc.check(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom('a', 'b', 'c', 'd').map((session) => ({ session })),
            fc.constant('serve' as const),
          ),
          { maxLength: 40 },
        ),
        (steps) => {
          const turns = new FairTurns<string>()
          steps.forEach((step, index) =>
            step === 'serve'
              ? turns.dequeue()
              : turns.enqueue(`${step.session}${index}`, { id: `${step.session}${index}`, session: step.session }),
          )
          const foretold = turns.order()
          return turns.size === foretold.length && JSON.stringify(foretold) === JSON.stringify(drain(turns)) && turns.size === 0
        },
      ),
    )
    expect(check.failed, JSON.stringify(check.counterexample)).toBe(false)
  })

  test('while all wait, no session is ever two turns ahead of another', () => {
    const check = fc.check(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 9, maxLength: 60 }), (sessions) => {
        const turns = new FairTurns<string>()
        for (const session of sessions) turns.enqueue(session, { session })
        const left = new Map<string, number>()
        for (const session of sessions) left.set(session, (left.get(session) ?? 0) + 1)
        const served = new Map([...left.keys()].map((session) => [session, 0]))
        for (let next = turns.dequeue(); next !== undefined; next = turns.dequeue()) {
          served.set(next, (served.get(next) ?? 0) + 1)
          left.set(next, (left.get(next) ?? 0) - 1)
          const waiting = [...left].filter(([, count]) => count > 0).map(([session]) => served.get(session) ?? 0)
          if (waiting.length > 1 && Math.max(...waiting) - Math.min(...waiting) > 1) return false
        }
        return true
      }),
    )
    expect(check.failed, JSON.stringify(check.counterexample)).toBe(false)
  })
})
