/** The name that a TLS client asks for, read from the first bytes it sends (RFC 8446 §4.1.2, RFC 6066 §3). */

export type ClientHello =
  /** Not whole yet. */
  | { readonly kind: 'more' }
  /** No TLS, or not as every client writes it. */
  | { readonly kind: 'other' }
  /** `name` is undefined where the client names none. */
  | { readonly kind: 'hello'; readonly name: string | undefined }

/** Far more than any client sends. */
const LONGEST = 16 * 1024
const MOST_RECORDS = 8
const [HANDSHAKE, CLIENT_HELLO, SERVER_NAME, HOST_NAME] = [22, 1, 0, 0]
/** Hides another name than the one in the open (RFC 9849 §5); a real one cannot be told from what is sent for show. */
const ENCRYPTED_HELLO = 0xfe0d

export function readClientHello(bytes: Buffer): ClientHello {
  const message = handshakeMessage(bytes)
  if (typeof message === 'string') return { kind: message }
  try {
    return { kind: 'hello', name: serverName(message) }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'other' }
    throw error
  }
}

/** A message may lie in several records; it is read as a server reads it. */
function handshakeMessage(bytes: Buffer): Buffer | 'more' | 'other' {
  let message = Buffer.alloc(0)
  let at = 0
  for (let records = 0; records < MOST_RECORDS; records++) {
    if ((bytes[at] ?? HANDSHAKE) !== HANDSHAKE || (bytes[at + 1] ?? 3) !== 3) return 'other'
    if (bytes.length < at + 5) return 'more'
    const end = at + 5 + bytes.readUInt16BE(at + 3)
    if (end > LONGEST) return 'other'
    if (bytes.length < end) return 'more'
    message = Buffer.concat([message, bytes.subarray(at + 5, end)])
    at = end
    if (message.length > 0 && message[0] !== CLIENT_HELLO) return 'other'
    if (message.length < 4) continue
    const length = 4 + message.readUIntBE(1, 3)
    if (message.length >= length) return message.subarray(4, length)
  }
  return 'other'
}

/** @throws RangeError for lengths that lead outside, for a name said twice, and for a hidden one. */
function serverName(hello: Buffer): string | undefined {
  let at = 2 + 32
  at += 1 + hello.readUInt8(at)
  at += 2 + hello.readUInt16BE(at)
  at += 1 + hello.readUInt8(at)
  if (at === hello.length) return undefined
  const end = at + 2 + hello.readUInt16BE(at)
  if (end !== hello.length) throw new RangeError('extensions')
  let name: string | undefined
  for (at += 2; at < end;) {
    const type = hello.readUInt16BE(at)
    const length = hello.readUInt16BE(at + 2)
    if (at + 4 + length > end) throw new RangeError('extension')
    if (type === ENCRYPTED_HELLO) throw new RangeError('hidden name')
    if (type === SERVER_NAME) {
      const list = hello.subarray(at + 4, at + 4 + length)
      const size = list.readUInt16BE(3)
      if (name !== undefined || list.readUInt16BE(0) !== length - 2 || list.readUInt8(2) !== HOST_NAME || size !== length - 5)
        throw new RangeError('name')
      name = list.toString('latin1', 5, 5 + size)
    }
    at += 4 + length
  }
  return name
}
