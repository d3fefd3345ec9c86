/** Stands for the app in a test that kills it: starts a command host and, over its socket, one command. */
import { connect } from 'node:net'
import { launchCommandHost } from '#main/command-host/launch.ts'

const [entry, id, records] = process.argv.slice(2) as [string, string, string?]
const host = await launchCommandHost({ entry, execPath: process.execPath, ...(records === undefined ? {} : { records }) })
const socket = connect(host.socketPath)
socket.write(`${JSON.stringify({ type: 'hello', token: host.token })}\n`)
socket.write(
  `${JSON.stringify({ type: 'start', id, argv: ['/bin/sh', '-c', 'setsid sleep 600 & nohup sleep 600 & sleep 600'], cwd: '/', env: { PATH: '/usr/bin:/bin', METONA_CALL: id }, stdin: false })}\n`,
)
process.send?.({ pid: host.pid, socketPath: host.socketPath })
setInterval(() => {}, 60_000)
