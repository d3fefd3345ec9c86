/**
 * What only a shell can do. Electron, web and terminal each implement it; a shell without a service
 * answers `NOT_AVAILABLE`, and the caller has another way or says so.
 */
export interface NativeServices {
  /** Absolute paths; empty when the person cancelled. */
  pickFolder(options: { title?: string; defaultPath?: string }): Promise<string[]>
  /** Parsed `https:` and `mailto:` only; anything else is refused. */
  openExternal(options: { url: string }): Promise<void>
  notify(options: { title: string; body: string; sessionId?: string }): Promise<void>
  secretsAvailable(): Promise<{ available: boolean; backend: string }>
  /** `null` when there is none. */
  readSecret(options: { name: string }): Promise<string | null>
  writeSecret(options: { name: string; value: string | null }): Promise<void>
  /** PAC style, for example `DIRECT` or `PROXY host:port;DIRECT`. */
  resolveProxy(options: { url: string }): Promise<string>
  /** Keep the machine awake while a turn runs. */
  setBusy(options: { busy: boolean }): Promise<void>
}
