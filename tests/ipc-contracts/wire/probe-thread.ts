/** A real thread that serves the probe service on the wire, and the same functions with Comlink alone for the controls. */
import { parentPort, type MessagePort } from 'node:worker_threads'
import * as Comlink from 'comlink'
import { AppError } from '#contracts/wire/app-error.ts'
import { expose } from '#contracts/wire/expose.ts'
import type { Port } from '#contracts/wire/port.ts'
import { probeHandlers, probeService } from './probe-service.ts'

export interface BareProbe {
  fail(): void
  hang(): Promise<never>
  untilAborted(signal: unknown): Promise<string>
  anything(value: unknown): unknown
}

export const bareProbe: BareProbe = {
  fail() {
    throw new AppError({ code: 'WORKSPACE_IN_USE', message: 'held', params: { pid: 12 } })
  },
  hang: () => new Promise<never>(() => {}),
  untilAborted: (signal) => Promise.resolve(typeof (signal as AbortSignal).addEventListener),
  anything: (value) => value,
}

/** Absent when the test imports this file for its types and the bare functions. */
parentPort?.on('message', (message: { wire?: MessagePort; bare?: MessagePort; exit?: number }) => {
  if (message.wire !== undefined) expose(probeService, probeHandlers(), message.wire as unknown as Port)
  if (message.bare !== undefined) Comlink.expose(bareProbe, message.bare as unknown as Comlink.Endpoint)
  if (message.exit !== undefined) process.exit(message.exit)
})
