/** The built renderer as a fixed table of files, read once: a URL can only ever name one of them. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

export interface StaticFile {
  readonly body: Buffer
  readonly contentType: string
  /** Named by content hash, so it may be cached for good. */
  readonly immutable: boolean
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

export interface StaticFiles {
  find(urlPath: string): Promise<StaticFile | undefined>
}

/** @param folder the built renderer. Rejects with ENOENT when it was never built. */
export async function openStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')),
  )
  const loaded = new Map<string, Promise<StaticFile>>()
  return {
    find: async (urlPath) => {
      const name = urlPath === '/' ? 'index.html' : urlPath.slice(1)
      if (!names.has(name)) return undefined
      let file = loaded.get(name)
      if (file === undefined) {
        file = load(folder, name)
        loaded.set(name, file)
        file.catch(() => loaded.delete(name))
      }
      return file
    },
  }
}

async function load(folder: string, name: string): Promise<StaticFile> {
  return {
    body: await readFile(path.join(folder, name)),
    contentType: CONTENT_TYPES[path.extname(name)] ?? 'application/octet-stream',
    immutable: name.startsWith('assets/'),
  }
}
