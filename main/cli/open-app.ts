/** The pipeline in this process, with a client to it: made for one command, settled after it. */
import type { AppErrorData } from '#contracts/wire/app-error.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { composeHost, type Host } from '#main/host/compose.ts'
import { profileFolder } from '#main/host/profile-folder.ts'
import { bannerText } from './banner-text.ts'
import { createClient, type Client } from './client.ts'
import { report, type CommandContext } from './command-context.ts'
import { ExitCode } from './exit-code.ts'
import { fill } from './fill.ts'
import { firstLine } from './plain-text.ts'
import { HOST_PLACES } from './places.ts'
import { watchStorageTrouble, type StorageTrouble } from './storage-trouble.ts'

export interface App {
  readonly host: Host
  readonly client: Client
  readonly trouble: StorageTrouble
}

export interface AppOptions {
  /** Started at once, beside the session worker. */
  readonly warm: readonly WorkerName[]
}

/** For settling turns; what a worker needs to stop comes on top. */
const SHUTDOWN_MS = 8_000
const STOP_MS = 5_000

export function openApp(context: CommandContext, options: AppOptions): App {
  const debug = context.environment['METONA_LOG'] === 'debug'
  let failure: AppErrorData | undefined
  const host = composeHost({
    profile: profileFolder(context.environment),
    ...HOST_PLACES,
    onLog: (name, level, message) => {
      if (debug) context.err.line(`[${performance.now().toFixed(0)} ms ${name} ${level}] ${message.trimEnd()}`)
    },
    onFailed: ({ name, message }) => {
      failure = { code: 'WORKER_FAILED', message, params: { worker: name } }
    },
    onWorkerExit: ({ name, reason, message, restarting }) => {
      if (restarting)
        context.err.line(
          fill(context.text.workerRestarted, { worker: name, reason: reason === 'threw' ? firstLine(message, 200) : reason }),
        )
    },
  })
  const client = createClient(host.connect(), { ready: () => context.out.waiting() < OUTPUT_BACKLOG, whyGone: () => failure })
  sayBanners(context, client)
  host.warm(...options.warm)
  return { host, client, trouble: watchStorageTrouble(client) }
}

/** Each condition once, however often it is reported; with `--json` only those that ask for something. */
function sayBanners({ err, text, language, json }: CommandContext, client: Client): void {
  const said = new Set<string>()
  client.onBanners((banners) => {
    for (const banner of banners) {
      const key = `${banner.id} ${banner.message}`
      if (said.has(key) || (json && banner.level === 'info')) continue
      said.add(key)
      err.line(fill(text.banner, { message: bannerText(banner, language) }))
    }
  })
}

/** Bytes waiting for a slow reader above which posts are no longer acknowledged. */
const OUTPUT_BACKLOG = 256 * 1024

/** Settles what runs, closes every file, ends every thread. Never takes longer than its deadlines, never throws. */
export async function closeApp({ host, client }: Pick<App, 'host' | 'client'>): Promise<void> {
  await client.call('app.shutdown', { deadlineMs: SHUTDOWN_MS - 1_000 }, SHUTDOWN_MS).catch(() => undefined)
  await host.stop(STOP_MS)
}

/** Runs `work` with an app and closes it, whatever happens; failures are said on stderr. */
export async function withApp(
  context: CommandContext,
  options: AppOptions,
  work: (app: App) => Promise<ExitCode>,
  known: Readonly<Record<string, unknown>> = {},
): Promise<ExitCode> {
  const app = openApp(context, options)
  let forget: () => void = () => undefined
  const interrupted = new Promise<ExitCode>((resolve) => {
    forget = context.interruption.handle(() => resolve(ExitCode.ABORTED))
  })
  try {
    return await Promise.race([work(app), interrupted])
  } catch (error) {
    return report(context, error, known)
  } finally {
    forget()
    await closeApp(app)
  }
}
