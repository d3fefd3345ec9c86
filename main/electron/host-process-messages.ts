/** Between Electron main and the pipeline host's utility process. Client ports travel with `client`. */
import type { AppErrorData } from '#contracts/wire/app-error.ts'

export type ToHost =
  | { readonly type: 'client' }
  | { readonly type: 'power'; readonly state: 'suspend' | 'resume' }
  | { readonly type: 'stop'; readonly deadlineMs: number }
  | { readonly type: 'native_result'; readonly id: number; readonly value?: unknown; readonly error?: AppErrorData }
  | { readonly type: 'command_host_started'; readonly id: number; readonly socketPath: string; readonly token: string }
  | { readonly type: 'command_host_exit'; readonly id: number }

export type FromHost =
  | { readonly type: 'native'; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly type: 'command_host'; readonly id: number }
