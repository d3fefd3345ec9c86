/** A failure the model can act on: what happened, and what to do instead. */
export class ToolError extends Error {
  /** Stable word for tests, logs and the interface. */
  readonly code: string
  /** Shown on the card and kept with the result. */
  readonly display: Record<string, unknown> | undefined

  constructor(code: string, message: string, display?: Record<string, unknown>) {
    super(message)
    this.name = 'ToolError'
    this.code = code
    this.display = display
  }
}
