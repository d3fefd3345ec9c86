/** Input schemas as providers take them: repaired where the server's arguments stay the same, refused with why where not. */
import { expect, test } from 'vitest'
import { repairSchema } from '#workers/tools/domain/mcp/repair-schema.ts'

test('a good schema stays as it is', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', enum: ['x'] } }, required: ['a'], additionalProperties: false }
  expect(repairSchema(schema)).toEqual({ ok: true, schema, repairs: [] })
})

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
  ['no type', {}, { type: 'object', properties: {} }, 'type object added'],
  ['a union at the top', { type: 'object', anyOf: [{ required: ['a'] }] }, { type: 'object', properties: {} }, 'anyOf at the top left out'],
  ['a list without items', object({ a: { type: 'array' } }), object({ a: { type: 'array', items: {} } }), 'items added to a list'],
  [
    'a tuple',
    object({ a: { type: 'array', items: [{ type: 'string' }] } }),
    object({ a: { type: 'array', items: { type: 'string' } } }),
    'a tuple became a list',
  ],
  ['an empty enum', object({ a: { enum: [] } }), object({ a: {} }), 'an empty enum left out'],
  ['a type nobody knows', object({ a: { type: 'any' } }), object({ a: {} }), 'the unknown type "any" left out'],
  ['a boolean schema', object({ a: true }), object({ a: {} }), 'a boolean schema became an empty one'],
  ['required as a switch', object({ a: { type: 'string', required: true } }), object({ a: { type: 'string' } }), 'required was no list'],
])('%s is repaired and named', (_name, schema, repaired, repair) => {
  expect(repairSchema(schema)).toEqual({ ok: true, schema: repaired, repairs: [repair] })
})

test.each<[string, unknown, RegExp]>([
  ['text', 'object', /no object/],
  ['a list type', { type: 'array' }, /of type "array"/],
  ['an address elsewhere', object({ a: { $ref: 'https://a.example/b.json' } }), /outside itself/],
  ['a reference to nothing', object({ a: { $ref: '#/$defs/b' } }), /which is not there/],
  ['a name of JavaScript’s', JSON.parse('{"type":"object","properties":{"__proto__":{}}}'), /__proto__/],
  ['no schema in a list', object({ a: { anyOf: 'b' } }), /anyOf in its input schema is no list/],
  ['more than is read', object({ a: { description: 'x'.repeat(40_000) } }), /at most 32768/],
  ['endless nesting', nested(30), /nested more than 24 deep/],
])('%s is refused with why', (_name, schema, reason) => {
  expect(repairSchema(schema)).toEqual({ ok: false, reason: expect.stringMatching(reason) })
})

test('a reference within itself is kept, also to a name with signs of its own', () => {
  const schema = { ...object({ a: { $ref: '#/$defs/b~1c' } }), $defs: { 'b/c': { type: 'string' } } }
  expect(repairSchema(schema)).toEqual({ ok: true, schema, repairs: [] })
})

function object(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties }
}

function nested(depth: number): Record<string, unknown> {
  return depth === 0 ? { type: 'string' } : object({ down: nested(depth - 1) })
}
