/** Answers the workers' native requests from what the shell can do. */
import type { NativeServices } from '#contracts/native/native-services.ts'
import { AppError } from '#contracts/wire/app-error.ts'

/** The only names a worker may ask for; `satisfies` keeps the table and the interface the same. */
const METHODS = {
  pickFolder: true,
  openExternal: true,
  notify: true,
  secretsAvailable: true,
  readSecret: true,
  writeSecret: true,
  resolveProxy: true,
  setBusy: true,
} satisfies Record<keyof NativeServices, true>

/** @returns a function that rejects with `NOT_AVAILABLE` where the shell has no such service. */
export function nativeAnswers(services: Partial<NativeServices>): (method: string, params: unknown) => Promise<unknown> {
  return async (method, params) => {
    const service = Object.hasOwn(METHODS, method) ? services[method as keyof NativeServices] : undefined
    if (service === undefined) throw new AppError({ code: 'NOT_AVAILABLE', message: `${method} is not available here`, params: { method } })
    return (service as (options: unknown) => Promise<unknown>).call(services, params)
  }
}
