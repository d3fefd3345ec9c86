/** What the process ends with. Scripts rely on these numbers. */

export const ExitCode = {
  DONE: 0,
  /** A turn or line failed or was interrupted. */
  FAILED: 1,
  USAGE: 2,
  /** Configuration, key, unknown provider, port or workspace in use. */
  CONFIGURATION: 3,
  /** Untrusted folder without `--trust`; with `--strict` any denied call. */
  REFUSED: 4,
  LIMIT: 5,
  ABORTED: 130,
} as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]
