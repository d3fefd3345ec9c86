/** Failures of our own machinery as the standard's 17 error codes: one table. */
import { MetonaErrorCode, type MetonaError } from '#contracts/metona/metona-response.ts'
import { WireErrorCode, type AppErrorData } from '#contracts/wire/app-error.ts'

const CODE_BY_FAILURE: Readonly<Record<string, { code: MetonaErrorCode; retryable: boolean }>> = {
  [WireErrorCode.WORKER_LOST]: { code: MetonaErrorCode.UNKNOWN, retryable: true },
  [WireErrorCode.CALL_TIMEOUT]: { code: MetonaErrorCode.TIMEOUT, retryable: true },
  [WireErrorCode.CALL_CANCELLED]: { code: MetonaErrorCode.USER_ABORTED, retryable: true },
  [WireErrorCode.BAD_INPUT]: { code: MetonaErrorCode.UNKNOWN, retryable: false },
  [WireErrorCode.BAD_OUTPUT]: { code: MetonaErrorCode.INVALID_RESPONSE, retryable: false },
  CONTEXT_TOO_LARGE: { code: MetonaErrorCode.CONTEXT_LENGTH_EXCEEDED, retryable: false },
  MAX_ITERATIONS: { code: MetonaErrorCode.MAX_ITERATIONS, retryable: true },
  REPEATED_CALL: { code: MetonaErrorCode.MAX_ITERATIONS, retryable: true },
  TURN_TOKENS: { code: MetonaErrorCode.MAX_ITERATIONS, retryable: true },
  TURN_MONEY: { code: MetonaErrorCode.MAX_ITERATIONS, retryable: true },
  SESSION_TOKENS: { code: MetonaErrorCode.MAX_ITERATIONS, retryable: false },
  SESSION_MONEY: { code: MetonaErrorCode.MAX_ITERATIONS, retryable: false },
  TURN_TIMEOUT: { code: MetonaErrorCode.TIMEOUT, retryable: true },
}

/** `providerCode` keeps our own code, so that nothing is lost in the mapping. */
export function mapFailure(failure: AppErrorData): MetonaError {
  const known = CODE_BY_FAILURE[failure.code]
  return {
    code: known?.code ?? MetonaErrorCode.UNKNOWN,
    message: failure.message,
    providerCode: failure.code,
    retryable: known?.retryable ?? failure.retryable ?? false,
  }
}
