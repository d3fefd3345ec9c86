/**
 * Secret values of MCP entries: out of what is written to the folder, into the shell's store or, where there is none, this run.
 *
 * Entries come from the folder, ids included. A value therefore belongs to the folder it was given in and to where it was to
 * go: a copy of the folder neither has it nor removes it, and an entry led elsewhere does not take it along.
 */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { isSecretName } from '#workers/shared/redact.ts'
import { keepSecret } from './keep-secret.ts'
import type { Services } from './services.ts'

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie)$|(?:key|token|secret|password|auth)$/i
const REFERENCE = /\$\{secret:([^}]+)\}/g

export class McpSecrets {
  readonly #services: Services
  /** By key. */
  readonly #known = new Map<string, string>()

  constructor(services: Services) {
    this.#services = services
  }

  /** The entry as it may be written: every secret value is `${secret:NAME}`. A value that already refers to something stays. */
  async takeOut(workspace: string, entry: McpServerEntry): Promise<McpServerEntry> {
    const clean = async (values: Record<string, string>, isSecret: (name: string) => boolean): Promise<Record<string, string>> => {
      const kept: Record<string, string> = {}
      for (const [name, value] of Object.entries(values)) {
        const secret =
          value !== '' && !/\$\{[^}]+\}/.test(value) && (isSecret(name) || this.#services.secrets.redactor.text(value) !== value)
        if (secret) await this.#store(await keyOf(workspace, entry, name), name, value)
        kept[name] = secret ? `\${secret:${name}}` : value
      }
      return kept
    }
    return {
      ...entry,
      ...(entry.env === undefined ? {} : { env: await clean(entry.env, isSecretName) }),
      ...(entry.headers === undefined ? {} : { headers: await clean(entry.headers, (name) => SECRET_HEADER.test(name)) }),
    }
  }

  /** Values for every reference of the entries, by id and then by name. What nobody knows any more is left out. */
  async valuesFor(workspace: string, entries: readonly McpServerEntry[]): Promise<Record<string, Record<string, string>>> {
    const values: [string, Record<string, string>][] = []
    for (const entry of entries) {
      const own: [string, string][] = []
      for (const name of referencesOf(entry)) {
        const value = await this.#read(await keyOf(workspace, entry, name), name)
        if (value !== undefined) own.push([name, value])
      }
      if (own.length > 0) values.push([entry.id, Object.fromEntries(own)])
    }
    return Object.fromEntries(values)
  }

  async forget(workspace: string, entry: McpServerEntry): Promise<void> {
    for (const name of referencesOf(entry)) {
      const key = await keyOf(workspace, entry, name)
      this.#known.delete(key)
      await this.#native('writeSecret', { name: key, value: null })
    }
  }

  async #store(key: string, name: string, value: string): Promise<void> {
    keepSecret(this.#services, { name, value })
    this.#known.set(key, value)
    await this.#native('writeSecret', { name: key, value })
  }

  async #read(key: string, name: string): Promise<string | undefined> {
    let value = this.#known.get(key)
    if (value === undefined) {
      const stored = await this.#native('readSecret', { name: key })
      value = typeof stored === 'string' ? stored : process.env[name]
      if (value !== undefined) {
        keepSecret(this.#services, { name, value })
        this.#known.set(key, value)
      }
    }
    return value
  }

  /** Not every shell has a store; then a value is known for this run only. */
  async #native(method: string, params: unknown): Promise<unknown> {
    try {
      return await this.#services.context.native(method, params)
    } catch (thrown) {
      this.#services.context.log('info', `${method} for an MCP server: ${toErrorData(thrown).code}`)
      return undefined
    }
  }
}

/** Of one length, whatever the folder chose for its parts. */
async function keyOf(workspace: string, { id, command, args, url }: McpServerEntry, name: string): Promise<string> {
  const receiver = url === undefined ? [command, ...(args ?? [])] : (URL.parse(url)?.origin ?? url)
  const parts = JSON.stringify([await realpath(workspace), id, receiver, name])
  return `mcp.${createHash('sha256').update(parts).digest('hex')}`
}

function referencesOf(entry: McpServerEntry): string[] {
  const values = [...Object.values(entry.env ?? {}), ...Object.values(entry.headers ?? {})]
  return [...new Set(values.flatMap((value) => [...value.matchAll(REFERENCE)].map((found) => found[1] as string)))]
}
