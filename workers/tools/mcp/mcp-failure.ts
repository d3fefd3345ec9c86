/** Why a server cannot be used: a word for tests and texts, and a sentence for people. */
export class McpFailure extends Error {
  readonly code: McpFailureCode

  constructor(code: McpFailureCode, message: string) {
    super(message)
    this.name = 'McpFailure'
    this.code = code
  }
}

export type McpFailureCode =
  /** The command, or a value it needs, is not there. */
  | 'NOT_FOUND'
  | 'MISSING_VALUE'
  /** It could not be started, or the address did not answer. */
  | 'START_FAILED'
  | 'UNREACHABLE'
  | 'BAD_CERTIFICATE'
  | 'ADDRESS_REFUSED'
  | 'NEEDS_LOGIN'
  /** It said nothing in time. */
  | 'TIMEOUT'
  /** The process ended, the connection broke. */
  | 'ENDED'
  | 'LOST'
  /** It does not speak the protocol, or not a version we know. */
  | 'BAD_PROTOCOL'
  | 'GARBAGE'
  | 'FLOOD'
  | 'TOO_BIG'
  | 'ENDLESS_LIST'
  /** It was to be held in the sandbox, and that cannot be. */
  | 'SANDBOX'
  | 'NOT_APPROVED'
  | 'OFF'
