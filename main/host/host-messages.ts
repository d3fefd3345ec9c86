/** The few things the host itself says to clients. Beside the router, which encodes nothing. */
import type { HostMessage } from '#contracts/session/client-protocol.ts'

/** Remote clients get JSON text, others an object. */
export function resetMessage(reason: string, remote: boolean): HostMessage | string {
  const message: HostMessage = { type: 'reset', reason }
  return remote ? JSON.stringify(message) : message
}
