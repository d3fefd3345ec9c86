/**
 * Names of the files of each workspace, for `@`. Listed by ripgrep, held up to a limit, renewed in the background when it
 * is used again after a while: an answer never waits for a second listing.
 */
import type { FoundFiles } from '#contracts/tools/workspace-files.ts'
import { indexPath, rankPaths, type IndexedPath } from '../domain/rank-paths.ts'
import type { ToolServices } from '../tool-services.ts'
import { EXCLUDED } from './excluded-names.ts'
import { runRipgrep } from './run-ripgrep.ts'

const MOST_FILES = 100_000
const MOST_BYTES = 16 * 1024 * 1024
const MOST_WORKSPACES = 4
/** An older list is renewed while the old one answers. */
const FRESH_MS = 3_000

interface Listing {
  readonly paths: readonly IndexedPath[]
  readonly complete: boolean
  readonly at: number
}

export class FileIndex {
  readonly #services: ToolServices
  readonly #listings = new Map<string, Promise<Listing>>()
  readonly #renewing = new Set<string>()

  constructor(services: ToolServices) {
    this.#services = services
  }

  async find(workspace: string, query: string, limit: number, signal: AbortSignal): Promise<FoundFiles> {
    let known = this.#listings.get(workspace)
    if (known === undefined) {
      known = this.#list(workspace)
      this.#keep(workspace, known)
      known.catch(() => this.#listings.delete(workspace))
    }
    const listing = await known
    signal.throwIfAborted()
    if (this.#services.now() - listing.at > FRESH_MS) this.#renew(workspace)
    return { files: rankPaths(listing.paths, query, limit), total: listing.paths.length, complete: listing.complete }
  }

  #renew(workspace: string): void {
    if (this.#renewing.has(workspace)) return
    this.#renewing.add(workspace)
    this.#list(workspace)
      .then((listing) => this.#keep(workspace, Promise.resolve(listing)))
      // The old list goes on answering; the next use tries again.
      .catch(() => undefined)
      .finally(() => this.#renewing.delete(workspace))
  }

  #keep(workspace: string, listing: Promise<Listing>): void {
    this.#listings.delete(workspace)
    this.#listings.set(workspace, listing)
    for (const oldest of this.#listings.keys()) {
      if (this.#listings.size <= MOST_WORKSPACES) return
      this.#listings.delete(oldest)
    }
  }

  async #list(workspace: string): Promise<Listing> {
    const output = await runRipgrep({
      arguments: [
        '--files',
        '--hidden',
        '--no-require-git',
        '--null',
        ...[...EXCLUDED, 'node_modules'].flatMap((name) => ['--glob', `!**/${name}`]),
      ],
      accessPath: workspace,
      callId: 'file-index',
      services: this.#services,
      signal: new AbortController().signal,
      limit: MOST_BYTES,
    })
    const names = output.text.split('\0')
    // What follows the last separator is empty, or a name cut in two.
    names.pop()
    const paths = names.slice(0, MOST_FILES).map((name) => indexPath(name.replace(/^\.\//, '').replaceAll('\\', '/')))
    return { paths, complete: !output.cut && names.length <= MOST_FILES, at: this.#services.now() }
  }
}
