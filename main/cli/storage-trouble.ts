/** Whether events can be stored at the moment. A person at a window waits and frees space; a script must end some day. */
import type { Banner } from '#contracts/session/client-protocol.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { Client } from './client.ts'

/** While one of these stands, nothing becomes durable. */
const BLOCKING = ['DISK_FULL', 'DISK_FAULT', 'WORKSPACE_READ_ONLY', 'DATABASE_BUSY']

export interface StorageTrouble {
  /** What stands in the way, and for how long; undefined when all is well. */
  current(): { readonly error: AppError; readonly forMs: number } | undefined
}

/** @param now a monotonic clock in milliseconds. */
export function watchStorageTrouble(client: Pick<Client, 'onBanners'>, now: () => number = () => performance.now()): StorageTrouble {
  let banner: Banner | undefined
  let since = 0
  client.onBanners((banners) => {
    const blocking = banners.find((candidate) => BLOCKING.includes(candidate.code))
    if (blocking !== undefined && banner?.code !== blocking.code) since = now()
    banner = blocking
  })
  return {
    current: () =>
      banner === undefined
        ? undefined
        : {
            error: new AppError({
              code: banner.code,
              message: banner.message,
              ...(banner.params === undefined ? {} : { params: banner.params }),
            }),
            forMs: now() - since,
          },
  }
}
