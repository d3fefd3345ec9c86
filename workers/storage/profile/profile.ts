import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { ModelAccountSchema, type ModelAccount } from '#contracts/context/token-report.ts'
import type { Grant } from '#contracts/session/grant-commands.ts'
import { KeyPlaceSchema, type GrantKey, type KeyPlace, type TrustEntry } from '#contracts/storage/profile-methods.ts'
import * as z from 'zod'
import type { Banners } from '../banners.ts'
import { classifyFault } from '../database-errors.ts'
import { inTransaction, latestVersion, migrate, schemaVersion } from '../migrate.ts'
import { profileMigrations } from '../migrations/profile-migrations.ts'
import { waitForLock } from '../wait-for-lock.ts'
import { StoredAgreements } from './agreed-texts.ts'
import { removeOldScratch } from './old-scratch.ts'
import { openConnection } from '../open-database.ts'
import { PageState } from './page-state.ts'
import { PersonPins } from './person-pins.ts'

/** Beside the settings, but none of them. */
const KEY_PLACES = 'internal.keyPlaces'
const EMPTY_MS = 10_000
/** A permission given for good is asked again after so long. */
const GRANT_MS = 90 * 86_400_000

/** The person's own database: trust, provider settings, preferences. Nothing a folder contains can write to it. */
export class Profile {
  readonly folder: string
  readonly agreements: StoredAgreements
  readonly pageState: PageState
  readonly pins: PersonPins
  readonly #database: Database
  readonly #now: () => string

  constructor(folder: string, banners: Banners, now: () => string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.folder = folder
    this.#now = now
    this.#database = openProfile(join(folder, 'profile.db'), banners, now)
    this.agreements = new StoredAgreements(this.#database, now)
    this.pageState = new PageState(this.#database, now)
    this.pins = new PersonPins(this.#database, now)
    removeOldScratch(this.scratch)
  }

  /** For databases that live for one reading or one comparison; out of reach of any workspace. */
  get scratch(): string {
    return join(this.folder, 'tmp')
  }

  /** Another one after somebody else wrote to the profile: a terminal beside the app takes trust away, too. */
  get version(): number {
    return this.#database.pragma('data_version', { simple: true }) as number
  }

  isTrusted(path: string): boolean {
    return this.#database.prepare<[string], { path: string }>('SELECT path FROM trust WHERE path = ?').get(path) !== undefined
  }

  trust(path: string): TrustEntry {
    const entry = { path, trustedAt: this.#now() }
    // The first decision keeps its date.
    this.#write('INSERT INTO trust (path, trusted_at) VALUES (?, ?) ON CONFLICT (path) DO NOTHING', [path, entry.trustedAt])
    return this.trusted().find((other) => other.path === path) ?? entry
  }

  /** What was allowed in it goes with it. */
  distrust(path: string): boolean {
    const remove = (): number => {
      for (const table of ['grants', 'mcp_approvals', 'agreed_texts', 'pinned_memories'])
        this.#database.prepare<[string]>(`DELETE FROM ${table} WHERE workspace = ?`).run(path)
      return this.#database.prepare<[string]>('DELETE FROM trust WHERE path = ?').run(path).changes
    }
    return waitForLock(() => inTransaction(this.#database, remove)) > 0
  }

  trusted(): TrustEntry[] {
    const rows = this.#database.prepare<[], { path: string; trusted_at: string }>('SELECT path, trusted_at FROM trust ORDER BY path').all()
    return rows.map((row) => ({ path: row.path, trustedAt: row.trusted_at }))
  }

  config(): Map<string, string> {
    const rows = this.#database.prepare<[], { key: string; value: string }>('SELECT key, value FROM app_config').all()
    return new Map(rows.map((row) => [row.key, row.value]))
  }

  setConfig(key: string, value: string, category: string): void {
    this.#write('INSERT OR REPLACE INTO app_config (key, value, category, updated_at) VALUES (?, ?, ?, ?)', [
      key,
      value,
      category,
      this.#now(),
    ])
  }

  /** What is read and written in `work` is of one moment, for other programs on this profile too. */
  atOnce<T>(work: () => T): T {
    return waitForLock(() => inTransaction(this.#database, work))
  }

  /** The same grant given again runs anew from now. */
  grant(key: GrantKey): Grant {
    const grantedAt = this.#now()
    const expiresAt = new Date(Date.parse(grantedAt) + GRANT_MS).toISOString()
    this.#write(
      `INSERT INTO grants (workspace, folder, tool, prefix, sandbox, granted_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET granted_at = excluded.granted_at, expires_at = excluded.expires_at`,
      [key.workspace, folderIdentity(key.workspace), key.tool, key.prefix, key.sandbox, grantedAt, expiresAt],
    )
    const given = this.grants(key.workspace).find(
      (grant) => grant.tool === key.tool && grant.prefix === key.prefix && grant.sandbox === key.sandbox,
    )
    return given ?? { id: 0, ...key, grantedAt, expiresAt }
  }

  /** One given without the sandbox holds inside it as well, not the other way round. */
  isGranted({ workspace, tool, prefix, sandbox }: GrantKey): boolean {
    const found = this.#database
      .prepare<string[]>(
        `SELECT 1 FROM grants WHERE workspace = ? AND folder = ? AND tool = ? AND prefix = ? AND sandbox IN (?, 'off') AND expires_at > ?`,
      )
      .get(workspace, folderIdentity(workspace), tool, prefix, sandbox, this.#now())
    return found !== undefined
  }

  /** Those in force, newest first. */
  grants(workspace: string | undefined): Grant[] {
    this.#write('DELETE FROM grants WHERE expires_at <= ?', [this.#now()])
    return this.#database
      .prepare<[string | null], Grant>(
        `SELECT id, workspace, tool, prefix, sandbox, granted_at AS grantedAt, expires_at AS expiresAt
         FROM grants WHERE workspace = coalesce(?, workspace) ORDER BY granted_at DESC, id DESC`,
      )
      .all(workspace ?? null)
  }

  revoke(id: number): boolean {
    return waitForLock(() => this.#database.prepare<[number]>('DELETE FROM grants WHERE id = ?').run(id).changes) > 0
  }

  recent(): { path: string; openedAt: string }[] {
    const rows = this.#database
      .prepare<[], { path: string; opened_at: string }>('SELECT path, opened_at FROM recent_workspaces ORDER BY opened_at DESC LIMIT 50')
      .all()
    return rows.map((row) => ({ path: row.path, openedAt: row.opened_at }))
  }

  opened(path: string): void {
    this.#write('INSERT OR REPLACE INTO recent_workspaces (path, opened_at) VALUES (?, ?)', [path, this.#now()])
  }

  providers(): { provider: string; baseUrl: string }[] {
    const rows = this.#database
      .prepare<[], { provider: string; base_url: string }>('SELECT provider, base_url FROM providers ORDER BY provider')
      .all()
    return rows.map((row) => ({ provider: row.provider, baseUrl: row.base_url }))
  }

  setProvider(provider: string, baseUrl: string | null): void {
    if (baseUrl === null) this.#write('DELETE FROM providers WHERE provider = ?', [provider])
    else this.#write('INSERT OR REPLACE INTO providers (provider, base_url, updated_at) VALUES (?, ?, ?)', [provider, baseUrl, this.#now()])
  }

  /** By provider; never a key itself. */
  keyPlaces(): Record<string, KeyPlace> {
    return z
      .record(z.string(), KeyPlaceSchema)
      .catch({})
      .parse(JSON.parse(this.config().get(KEY_PLACES) ?? '{}'))
  }

  setKeyPlace(provider: string, place: KeyPlace | null): void {
    const { [provider]: _before, ...others } = this.keyPlaces()
    this.setConfig(KEY_PLACES, JSON.stringify(place === null ? others : { ...others, [provider]: place }), 'llm')
  }

  saveModelAccount(account: ModelAccount): void {
    const { provider, model } = account
    this.#write('INSERT OR REPLACE INTO model_accounts (provider, model, json, updated_at) VALUES (?, ?, ?, ?)', [
      provider,
      model,
      JSON.stringify(account),
      this.#now(),
    ])
  }

  /** An account another version wrote in a way this one does not read is begun anew. */
  modelAccounts(): ModelAccount[] {
    const rows = this.#database.prepare<[], { json: string }>('SELECT json FROM model_accounts ORDER BY provider, model').all()
    return rows.flatMap((row) => ModelAccountSchema.safeParse(JSON.parse(row.json)).data ?? [])
  }

  /** Those given to this very folder. */
  mcpApprovals(workspace: string): string[] {
    return this.#database
      .prepare<[string, string], { approval: string }>(
        'SELECT approval FROM mcp_approvals WHERE workspace = ? AND folder = ? ORDER BY server_id',
      )
      .all(workspace, folderIdentity(workspace))
      .map((row) => row.approval)
  }

  setMcpApproval(workspace: string, serverId: string, approval: string): void {
    this.#write('INSERT OR REPLACE INTO mcp_approvals (workspace, folder, server_id, approval, updated_at) VALUES (?, ?, ?, ?, ?)', [
      workspace,
      folderIdentity(workspace),
      serverId,
      approval,
      this.#now(),
    ])
  }

  removeMcpApproval(workspace: string, serverId: string): boolean {
    return this.#write('DELETE FROM mcp_approvals WHERE workspace = ? AND server_id = ?', [workspace, serverId]) > 0
  }

  auditHeads(workspace: string): { sessionId: string; logSeq: number; hash: string }[] {
    const rows = this.#database
      .prepare<[string], { session_id: string; log_seq: number; hash: string }>(
        'SELECT session_id, log_seq, hash FROM audit_heads WHERE workspace = ?',
      )
      .all(workspace)
    return rows.map((row) => ({ sessionId: row.session_id, logSeq: row.log_seq, hash: row.hash }))
  }

  saveAuditHeads(
    workspace: string,
    heads: readonly { sessionId: string; logSeq: number; hash: string }[],
    removed: readonly string[],
  ): void {
    if (heads.length === 0 && removed.length === 0) return
    const save = (): void => {
      const put = this.#database.prepare('INSERT OR REPLACE INTO audit_heads (workspace, session_id, log_seq, hash) VALUES (?, ?, ?, ?)')
      const remove = this.#database.prepare('DELETE FROM audit_heads WHERE workspace = ? AND session_id = ?')
      for (const head of heads) put.run(workspace, head.sessionId, head.logSeq, head.hash)
      for (const sessionId of removed) remove.run(workspace, sessionId)
    }
    waitForLock(() => inTransaction(this.#database, save))
  }

  close(): void {
    this.#database.close()
  }

  #write(sql: string, values: readonly string[]): number {
    return waitForLock(() => this.#database.prepare<string[]>(sql).run(...values).changes)
  }
}

/** Not only the path: another folder under the same name, or a fresh clone in its place, was not what the person meant. */
function folderIdentity(path: string): string {
  const { ino, birthtimeMs } = statSync(path, { bigint: true })
  return `${ino}:${birthtimeMs}`
}

/** A damaged profile is put aside and begun anew: trust and settings must then be given again, and that is said. */
function openProfile(file: string, banners: Banners, now: () => string): Database {
  const stat = statSync(file, { throwIfNoEntry: false })
  const isNew = stat === undefined
  // One that another program is just making has no bytes either, but not for long.
  if (stat?.size === 0 && Date.now() - stat.mtimeMs > EMPTY_MS && !existsSync(`${file}-wal`)) {
    banners.set('error', 'PROFILE_DAMAGED', `The profile database ${file} was empty; trust and settings start anew.`, { path: file })
  }
  try {
    return waitForLock(() => openSound(file))
  } catch (error) {
    const fault = classifyFault(error)
    if (isNew || fault !== 'corrupt') throw error
  }
  const aside = `${file}.damaged-${now().replace(/[-:]|\.\d+/g, '')}`
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`)
  banners.set('error', 'PROFILE_DAMAGED', `The profile database was damaged. It was kept as ${aside}; trust and settings start anew.`, {
    path: aside,
  })
  return openSound(file)
}

function openSound(file: string): Database {
  const { database } = openConnection(file)
  try {
    if (database.pragma('quick_check', { simple: true }) !== 'ok')
      throw Object.assign(new Error('quick_check failed'), { code: 'SQLITE_CORRUPT' })
    const version = schemaVersion(database)
    if (version > latestVersion(profileMigrations))
      throw Object.assign(new Error(`profile.db has version ${version} of a newer Metona`), { code: 'NEWER_SCHEMA' })
    migrate(database, profileMigrations, (from) => database.prepare('VACUUM INTO ?').run(`${file}.before-${from}-${process.pid}`))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
