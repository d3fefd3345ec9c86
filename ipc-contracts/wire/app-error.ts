/** Errors as data. What crosses a boundary is `AppErrorData`; `AppError` exists only inside one thread. */
import * as z from 'zod'

/** Codes of our own machinery. Product codes (MetonaErrorCode, CLI reasons) may also be used: the set is open. */
export const WireErrorCode = {
  /** The other side died or closed; the call may or may not have happened. */
  WORKER_LOST: 'WORKER_LOST',
  CALL_TIMEOUT: 'CALL_TIMEOUT',
  CALL_CANCELLED: 'CALL_CANCELLED',
  BAD_INPUT: 'BAD_INPUT',
  BAD_OUTPUT: 'BAD_OUTPUT',
  NOT_CLONEABLE: 'NOT_CLONEABLE',
  UNKNOWN_METHOD: 'UNKNOWN_METHOD',
  INTERNAL: 'INTERNAL',
} as const

export const AppErrorDataSchema = z.object({
  code: z.string(),
  /** English, for logs; people see a text chosen by `code` and `params` in their language. */
  message: z.string(),
  retryable: z.boolean().optional(),
  /** Values for the localised text: paths, names, numbers. */
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Provider error, list of differences, and the like. */
  details: z.unknown().optional(),
})
export type AppErrorData = z.infer<typeof AppErrorDataSchema>

export class AppError extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly params: Record<string, string | number | boolean> | undefined
  readonly details: unknown

  constructor(data: AppErrorData) {
    super(data.message)
    this.name = 'AppError'
    this.code = data.code
    this.retryable = data.retryable ?? false
    this.params = data.params
    this.details = data.details
  }

  toData(): AppErrorData {
    const data: AppErrorData = { code: this.code, message: this.message }
    if (this.retryable) data.retryable = true
    if (this.params !== undefined) data.params = this.params
    if (this.details !== undefined) data.details = this.details
    return data
  }
}

/** Anything thrown → data. An `AppError` keeps its code; a system error keeps its errno as code. */
export function toErrorData(thrown: unknown): AppErrorData {
  if (thrown instanceof AppError) return thrown.toData()
  if (thrown instanceof Error) {
    const code = (thrown as Error & { code?: unknown }).code
    return { code: typeof code === 'string' ? code : WireErrorCode.INTERNAL, message: thrown.message }
  }
  return { code: WireErrorCode.INTERNAL, message: String(thrown) }
}
