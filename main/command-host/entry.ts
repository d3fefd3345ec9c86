/**
 * The command host: a small process that starts every command, because starting one from a big
 * process stalls it. It listens on a socket in a private folder, serves one client that knows the
 * token, and ends, with everything it started, when that client or the process that started it is gone.
 *
 * In: environment `METONA_COMMAND_HOST_TOKEN` (forgotten at once) and `METONA_COMMAND_HOST_RECORDS`, a folder for what the
 * next start must know if all of this is killed. Out: `{type: 'listening', socketPath, pid}`
 * over the channel it was forked with (Node or Electron), else as the first line of stdout.
 */
import { runCommandHost } from './run-command-host.ts'

await runCommandHost()
