/**
 * The command host: a small process that starts every command, because starting one from a big
 * process stalls it. It listens on a socket in a private folder, serves one client that knows the
 * token, and ends, with everything it started, when that client or the process that started it is gone.
 *
 * In: environment `METONA_COMMAND_HOST_TOKEN` (forgotten at once). Out: `{type: 'listening', socketPath, pid}`
 * over the channel it was forked with (Node or Electron), else as the first line of stdout.
 */
import { runCommandHost } from './run-command-host.ts'

await runCommandHost()
