/**
 * A tool's input schema as every provider takes it. Servers write all kinds; what can be repaired without changing which
 * arguments the server gets is repaired and named, what cannot makes this one tool unusable and says why.
 */

export type RepairedSchema =
  | { readonly ok: true; readonly schema: Record<string, unknown>; readonly repairs: string[] }
  | { readonly ok: false; readonly reason: string }

const BYTES_LIMIT = 32 * 1024
const DEPTH_LIMIT = 24
/** Keywords that hold one schema, a list of schemas, and named schemas. */
const ONE = ['additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties', 'additionalItems']
const MANY = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
/** Names a JavaScript object treats specially; no argument has one. */
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype'])

export function repairSchema(input: unknown): RepairedSchema {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { ok: false, reason: 'its input schema is no object' }
  const bytes = JSON.stringify(input).length
  if (bytes > BYTES_LIMIT) return { ok: false, reason: `its input schema has ${bytes} characters; at most ${BYTES_LIMIT} are taken` }
  const repairs = new Set<string>()
  try {
    const root = input as Record<string, unknown>
    const schema = visit(root, 0, root, repairs) as Record<string, unknown>
    const type = schema['type']
    if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
      return { ok: false, reason: `its input schema is of type ${JSON.stringify(type)}, not object` }
    if (type !== 'object') repairs.add('type object added')
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'enum']) {
      // Several providers refuse these at the top; the server checks its arguments itself.
      if (!(keyword in schema)) continue
      delete schema[keyword]
      repairs.add(`${keyword} at the top left out`)
    }
    if (schema['properties'] === undefined) schema['properties'] = {}
    return { ok: true, schema: { ...schema, type: 'object' }, repairs: [...repairs] }
  } catch (error) {
    if (error instanceof Unusable) return { ok: false, reason: error.message }
    throw error
  }
}

class Unusable extends Error {}

function visit(node: unknown, depth: number, root: Record<string, unknown>, repairs: Set<string>): unknown {
  if (depth > DEPTH_LIMIT) throw new Unusable(`its input schema is nested more than ${DEPTH_LIMIT} deep`)
  if (node === true || node === null || node === undefined) {
    repairs.add('a boolean schema became an empty one')
    return {}
  }
  if (typeof node !== 'object' || Array.isArray(node)) throw new Unusable('its input schema holds something that is no schema')
  const schema: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === '$schema' || key === '$id' || key === '$comment') continue
    if (NAMED.includes(key)) schema[key] = visitNamed(value, depth, root, repairs)
    else if (MANY.includes(key)) {
      if (!Array.isArray(value)) throw new Unusable(`${key} in its input schema is no list`)
      if (value.length > 0) schema[key] = value.map((entry) => visit(entry, depth + 1, root, repairs))
    } else if (ONE.includes(key)) schema[key] = typeof value === 'boolean' ? value : visit(value, depth + 1, root, repairs)
    else if (key === 'items') {
      // The list form of older drafts stands for a tuple; one schema for all entries is what providers know.
      if (Array.isArray(value)) repairs.add('a tuple became a list')
      schema[key] = visit(Array.isArray(value) ? (value[0] ?? {}) : value, depth + 1, root, repairs)
    } else if (key === 'required') {
      if (Array.isArray(value)) schema[key] = [...new Set(value.filter((name) => typeof name === 'string'))]
      else repairs.add('required was no list')
    } else if (key === '$ref') {
      checkReference(value, root)
      schema[key] = value
    } else if (key === 'enum' && (!Array.isArray(value) || value.length === 0)) repairs.add('an empty enum left out')
    else schema[key] = value
  }
  const { type } = schema
  if (type !== undefined && !isType(type)) {
    delete schema['type']
    repairs.add(`the unknown type ${JSON.stringify(type).slice(0, 40)} left out`)
  }
  if (type === 'array' && schema['items'] === undefined && schema['prefixItems'] === undefined) {
    schema['items'] = {}
    repairs.add('items added to a list')
  }
  return schema
}

function visitNamed(value: unknown, depth: number, root: Record<string, unknown>, repairs: Set<string>): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Unusable('properties in its input schema are no object')
  const named: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(value)) {
    if (FORBIDDEN_NAMES.has(name)) throw new Unusable(`its input schema names an argument ${name}`)
    named[name] = visit(schema, depth + 1, root, repairs)
  }
  return named
}

/** Only inside the schema itself, and only to what is there: an address elsewhere would have to be fetched. */
function checkReference(reference: unknown, root: Record<string, unknown>): void {
  if (typeof reference !== 'string' || !reference.startsWith('#'))
    throw new Unusable(`its input schema refers to ${JSON.stringify(reference).slice(0, 80)}, outside itself`)
  let place: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    place = typeof place === 'object' && place !== null && Object.hasOwn(place, key) ? (place as Record<string, unknown>)[key] : undefined
  }
  if (place === undefined) throw new Unusable(`its input schema refers to ${reference.slice(0, 80)}, which is not there`)
}

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
function isType(type: unknown): boolean {
  return Array.isArray(type) ? type.length > 0 && type.every((entry) => TYPES.has(String(entry))) : TYPES.has(String(type))
}
