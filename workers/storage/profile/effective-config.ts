import * as z from 'zod'
import { AppError, WireErrorCode } from '#contracts/wire/app-error.ts'
import { configKeys, type ConfigEntry } from '#contracts/workspace/config-keys.ts'
import type { ConfigKey } from '#contracts/workspace/config-key.ts'

/** `security` values from strict to free. A workspace can only move towards the strict end. */
const STRICTNESS: Readonly<Record<string, readonly unknown[]>> = {
  'security.permission': ['plan', 'ask', 'auto_edit', 'full_access'],
  'security.sandbox': ['auto', 'off'],
  'security.harmlessCommands': ['ask', 'allow'],
}

/** Stored values by key, as JSON text. */
export type StoredValues = ReadonlyMap<string, string>

/** All keys with the value in force: workspace over profile over default; values that do not fit their schema are passed over. */
export function effectiveConfig(profile: StoredValues, workspace: StoredValues): ConfigEntry[] {
  return Object.keys(configKeys).map((name) => effectiveEntry(name, profile, workspace))
}

/** The values of `effectiveConfig` by key. Every turn asks for them: describing a key costs more than reading all of them. */
export function effectiveValues(profile: StoredValues, workspace: StoredValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(configKeys).map(([name, key]) => [name, valueInForce(name, key, profile.get(name), workspace.get(name)).value]),
  )
}

export function effectiveEntry(name: string, profile: StoredValues, workspace: StoredValues): ConfigEntry {
  const key = keyOf(name)
  const { value, source } = valueInForce(name, key, profile.get(name), workspace.get(name))
  return { key: name, value, category: key.category, source, description: key.description, schema: jsonSchemaOf(name, key) }
}

function valueInForce(
  name: string,
  key: ConfigKey,
  inProfile: string | undefined,
  inWorkspace: string | undefined,
): Pick<ConfigEntry, 'value' | 'source'> {
  const own = storedValue(key, inProfile)
  const inherited = own === undefined ? key.defaultValue : own
  const local = storedValue(key, inWorkspace)
  if (local !== undefined && isAllowedInWorkspace(name, key, inherited, local)) return { value: local, source: 'workspace' }
  return own === undefined ? { value: key.defaultValue, source: 'default' } : { value: own, source: 'profile' }
}

/** The key, or `UNKNOWN_CONFIG_KEY`. */
export function keyOf(name: string): ConfigKey {
  const key = Object.hasOwn(configKeys, name) ? configKeys[name] : undefined
  if (key === undefined)
    throw new AppError({ code: 'UNKNOWN_CONFIG_KEY', message: `there is no configuration key ${name}`, params: { key: name } })
  return key
}

/** The value as it is stored, or `BAD_CONFIG_VALUE` / `CONFIG_SCOPE` / `CONFIG_ONLY_TIGHTENS`. */
export function checkedValue(name: string, value: unknown, profile: StoredValues, inWorkspace: boolean): string {
  const key = keyOf(name)
  const parsed = key.schema.safeParse(value)
  if (!parsed.success)
    throw new AppError({ code: 'BAD_CONFIG_VALUE', message: `${name}: ${z.prettifyError(parsed.error)}`, params: { key: name } })
  if (inWorkspace) {
    const inherited = storedValue(key, profile.get(name)) ?? key.defaultValue
    if (key.scope === 'profile' && key.category !== 'security')
      throw new AppError({ code: 'CONFIG_SCOPE', message: `${name} belongs to the profile, not to a workspace`, params: { key: name } })
    if (!isAllowedInWorkspace(name, key, inherited, parsed.data))
      throw new AppError({
        code: 'CONFIG_ONLY_TIGHTENS',
        message: `${name}: a workspace can only be stricter than the profile (${JSON.stringify(inherited)})`,
        params: { key: name },
      })
  }
  const text = JSON.stringify(parsed.data)
  if (text === undefined) throw new AppError({ code: WireErrorCode.BAD_INPUT, message: `${name}: no value` })
  return text
}

function isAllowedInWorkspace(name: string, key: ConfigKey, inherited: unknown, local: unknown): boolean {
  // A budget is the person's: a folder can only make it smaller.
  if (name.startsWith('limits.')) return typeof local === 'number' && (inherited === null || local <= (inherited as number))
  if (key.category !== 'security') return key.scope === 'both'
  const order = STRICTNESS[name]
  if (order !== undefined) return order.indexOf(local) <= order.indexOf(inherited)
  // Times: shorter is stricter. Any other kind of security value stays with the profile.
  return typeof local === 'number' && typeof inherited === 'number' && local <= inherited
}

function storedValue(key: ConfigKey, text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    const parsed = key.schema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    // A hand-edited or hostile row: as if it were not there.
    return undefined
  }
}

const schemas = new Map<string, Record<string, unknown>>()

function jsonSchemaOf(name: string, key: ConfigKey): Record<string, unknown> {
  const known = schemas.get(name)
  if (known !== undefined) return known
  const schema = z.toJSONSchema(key.schema) as Record<string, unknown>
  schemas.set(name, schema)
  return schema
}
