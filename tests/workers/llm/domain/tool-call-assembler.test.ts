import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseArguments, ToolCallAssembler, type ToolCallPiece } from '#workers/llm/domain/tool-call-assembler.ts'

function assemble(pieces: readonly ToolCallPiece[]) {
  let ids = 0
  const events: string[] = []
  const assembler = new ToolCallAssembler(
    { start: (call) => events.push(`${call.id} ${call.name}`), delta: (call, text) => events.push(`${call.id} +${text}`) },
    () => `tc_${(ids += 1)}`,
  )
  for (const piece of pieces) assembler.add(piece)
  return { calls: assembler.calls.map((call) => [call.providerCallId, call.name, call.argumentsText]), events }
}

const argument = fc
  .record({ path: fc.string({ unit: 'grapheme' }), n: fc.integer(), deep: fc.array(fc.boolean()) })
  .map((value) => JSON.stringify(value))

test('however the arguments of parallel calls are cut and interleaved, each call gets its own back', () => {
  const check = fc.check(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 4 }), fc.array(fc.nat({ max: 3 }), { maxLength: 60 }), (texts, order) => {
      const pieces: ToolCallPiece[] = texts.map((_, index) => ({ index, id: `call_${index}`, name: `tool_${index}`, arguments: '' }))
      const at = texts.map(() => 0)
      for (const pick of [...order, ...texts.keys(), ...texts.keys()]) {
        const index = pick % texts.length
        const text = texts[index] ?? ''
        const rest = order.includes(pick) ? 5 : text.length
        pieces.push({ index, arguments: text.slice(at[index], (at[index] ?? 0) + rest) })
        at[index] = Math.min(text.length, (at[index] ?? 0) + rest)
      }
      texts.forEach((text, index) => pieces.push({ index, arguments: text.slice(at[index]) }))
      return JSON.stringify(assemble(pieces).calls) === JSON.stringify(texts.map((text, index) => [`call_${index}`, `tool_${index}`, text]))
    }),
  )
  expect(check.failed, JSON.stringify(check.counterexample)).toBe(false)
})

test('without index, one call after the other', () => {
  const check = fc.check(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 9 }), (texts, size) => {
      const pieces = texts.flatMap((text, index): ToolCallPiece[] => [
        { id: `call_${index}`, name: `tool_${index}` },
        ...(text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []).map((piece) => ({ arguments: piece })),
      ])
      return JSON.stringify(assemble(pieces).calls) === JSON.stringify(texts.map((text, index) => [`call_${index}`, `tool_${index}`, text]))
    }),
  )
  expect(check.failed, JSON.stringify(check.counterexample)).toBe(false)
})

test('a name repeated in every piece opens no new call', () => {
  expect(assemble(['{"a"', ':{}', '}'].map((text) => ({ index: 0, id: 'x', name: 'f', arguments: text }))).calls).toEqual([
    ['x', 'f', '{"a":{}}'],
  ])
})

test('arguments before the name are shown after it', () => {
  expect(
    assemble([
      { index: 0, id: 'x', arguments: '{' },
      { index: 0, name: 'f', arguments: '}' },
    ]).events,
  ).toEqual(['tc_1 f', 'tc_1 +{', 'tc_1 +}'])
})

test('a call without arguments followed by another on the same index', () => {
  expect(
    assemble([
      { index: 0, id: 'a', name: 'f', arguments: '' },
      { index: 0, id: 'b', name: 'g', arguments: '' },
    ]).calls,
  ).toEqual([
    ['a', 'f', ''],
    ['b', 'g', ''],
  ])
})

test('arguments of 4 MiB in small pieces, with the name in each, cost no parse per piece', () => {
  const body = `{"text":"${'x'.repeat(4 * 1024 * 1024)}"}`
  const pieces = body.match(/[\s\S]{1,64}/g) ?? []
  const started = process.cpuUsage()
  const { calls } = assemble(pieces.map((text) => ({ index: 0, id: 'x', name: 'f', arguments: text })))
  const used = process.cpuUsage(started)
  expect([calls[0]?.[2]?.length, calls.length]).toEqual([body.length, 1])
  // A parse of what is there for each of the 65,536 pieces would take minutes.
  expect((used.user + used.system) / 1e6).toBeLessThan(20)
})

test.each([
  ['', { ok: true, args: {} }],
  [' \n', { ok: true, args: {} }],
  ['null', { ok: true, args: {} }],
  ['{"a":1}', { ok: true, args: { a: 1 } }],
  ['"{\\"a\\":1}"', { ok: true, args: { a: 1 } }],
  ['""', { ok: true, args: {} }],
  ['[1]', { ok: false, reason: 'arguments must be a JSON object, got an array' }],
  ['3', { ok: false, reason: 'arguments must be a JSON object, got number' }],
])('arguments %j', (text, expected) => {
  expect(parseArguments(text)).toEqual(expected)
})

test('half an argument text is no arguments', () => {
  expect(parseArguments('{"a"').ok).toBe(false)
})
