/**
 * Errors as data. What crosses a boundary is `AppErrorData`; `AppError` exists only inside one thread.
 * No zod here: the host loads this before anything else runs.
 */

/** Codes of our own machinery. Product codes (MetonaErrorCode, CLI reasons) may also be used: the set is open. */
export const WireErrorCode = {
  /** The other side died or closed; the call may or may not have happened. */
  WORKER_LOST: 'WORKER_LOST',
  CALL_TIMEOUT: 'CALL_TIMEOUT',
  CALL_CANCELLED: 'CALL_CANCELLED',
  BAD_INPUT: 'BAD_INPUT',
  BAD_OUTPUT: 'BAD_OUTPUT',
  /** Input or output is no plain data: a reactive object, a function, an instance with private state. */
  NOT_CLONEABLE: 'NOT_CLONEABLE',
  UNKNOWN_METHOD: 'UNKNOWN_METHOD',
  INTERNAL: 'INTERNAL',
} as const

export interface AppErrorData {
  code: string
  /** English, for logs; people see a text chosen by `code` and `params` in their language. */
  message: string
  retryable?: boolean | undefined
  /** Values for the localised text: paths, names, numbers. */
  params?: Record<string, string | number | boolean> | undefined
  /** Provider error, list of differences, and the like. Plain data; what cannot be cloned is left out on the way. */
  details?: unknown
}

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

/**
 * Anything thrown → data. An `AppError` keeps everything, a system error its errno as code, and a plain object
 * that already is error data (code and message) goes as it is.
 */
export function toErrorData(thrown: unknown): AppErrorData {
  if (thrown instanceof AppError) return thrown.toData()
  if (thrown instanceof Error) {
    const code = (thrown as Error & { code?: unknown }).code
    return { code: typeof code === 'string' ? code : WireErrorCode.INTERNAL, message: thrown.message }
  }
  if (isErrorData(thrown)) return thrown
  return { code: WireErrorCode.INTERNAL, message: String(thrown) }
}

function isErrorData(value: unknown): value is AppErrorData {
  if (typeof value !== 'object' || value === null) return false
  const { code, message } = value as Partial<AppErrorData>
  return typeof code === 'string' && typeof message === 'string'
}
