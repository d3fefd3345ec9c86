/** The first bytes of a real TLS client. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { connect } from 'node:tls'

/** What OpenSSL, as Node has it, sends first. */
export async function realHello(servername: string | undefined): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    ...(servername === undefined ? {} : { servername }),
  })
  client.on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  client.destroy()
  server.close()
  return bytes
}
