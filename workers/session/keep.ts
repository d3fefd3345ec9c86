import { toErrorData } from '#contracts/wire/app-error.ts'
import type { Services } from './services.ts'

/** Side work whose failure must not end a turn; it is logged. */
export function keep(services: Pick<Services, 'context'>, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => services.context.log('warn', `${what}: ${toErrorData(error).message}`))
}
