/** Undoes a compression that nobody asked for. Streams ask for `identity`; some servers and proxies compress all the same. */
import type { Transform } from 'node:stream'

export interface Decompressor {
  /** @returns a promise while the reader is not ready for more. */
  write(bytes: Buffer): void | Promise<void>
  end(): Promise<void>
  onError(listener: (error: unknown) => void): void
}

/**
 * @param encoding the `content-encoding` header. Without one, gzip is still recognised by its first bytes.
 * @param deliver gets the plain bytes in order.
 */
export function decompressor(encoding: string | undefined, deliver: (bytes: Uint8Array) => void | Promise<void>): Decompressor {
  let kind = kindOf(encoding)
  let first = true
  let held: Buffer | undefined
  let chain: Promise<Transform> | undefined
  let errorListener: (error: unknown) => void = () => undefined
  let pending: Promise<void> = Promise.resolve()

  const throughTransform = (bytes: Buffer): Promise<void> => {
    chain ??= openTransform(kind, deliver, (error) => errorListener(error))
    pending = pending.then(async () => {
      const transform = await (chain as Promise<Transform>)
      if (!transform.destroyed && !transform.write(bytes))
        await new Promise<void>((resolve) => (transform.once('drain', resolve), transform.once('close', resolve)))
    })
    return pending
  }
  return {
    write: (bytes) => {
      if (first && kind === 'identity') {
        // The two magic bytes may come in two reads.
        const start = held === undefined ? bytes : Buffer.concat([held, bytes])
        held = undefined
        if (start.length === 1 && start[0] === 0x1f) {
          held = start
          return
        }
        first = false
        if (start[0] === 0x1f && start[1] === 0x8b) kind = 'gzip'
        bytes = start
      }
      return kind === 'identity' ? deliver(bytes) : throughTransform(bytes)
    },
    end: async () => {
      if (held !== undefined) await deliver(held)
      if (chain === undefined) return
      await pending
      const transform = await chain
      if (transform.destroyed) return
      // A stream cut short in its compression is a cut stream, not broken compression.
      await new Promise<void>((resolve) => {
        transform.once('close', resolve)
        transform.end()
      })
    },
    onError: (listener) => {
      errorListener = listener
    },
  }
}

type Kind = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd' | 'unknown'

function kindOf(encoding: string | undefined): Kind {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
      return 'deflate'
    case 'br':
      return 'br'
    case 'zstd':
      return 'zstd'
    default:
      return 'unknown'
  }
}

async function openTransform(
  kind: Kind,
  deliver: (bytes: Uint8Array) => void | Promise<void>,
  onError: (error: unknown) => void,
): Promise<Transform> {
  const zlib = await import('node:zlib')
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  const brotli = { flush: zlib.constants.BROTLI_OPERATION_FLUSH, finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }
  const zstd = { flush: zlib.constants.ZSTD_e_flush, finishFlush: zlib.constants.ZSTD_e_flush }
  const make: Record<Exclude<Kind, 'identity' | 'unknown'>, () => Transform> = {
    gzip: () => zlib.createGunzip(flush),
    deflate: () => zlib.createInflate(flush),
    br: () => zlib.createBrotliDecompress(brotli),
    zstd: () => zlib.createZstdDecompress(zstd),
  }
  if (kind === 'identity' || kind === 'unknown') throw new Error('a content encoding nobody here knows')
  const transform = make[kind]()
  transform.on('data', (bytes: Buffer) => {
    const waiting = deliver(bytes)
    if (waiting === undefined) return
    transform.pause()
    void waiting.then(() => transform.resume())
  })
  transform.on('error', onError)
  return transform
}
