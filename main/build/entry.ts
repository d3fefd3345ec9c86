/** `npm run build [-- --force]`, and what the launcher runs when bundles are missing (`--quiet`, for a terminal command also `--no-page`). */
import { buildAll } from './build-all.ts'

const options = new Set(process.argv.slice(2))
try {
  const report = await buildAll({
    force: options.has('--force'),
    page: !options.has('--no-page'),
    ...(options.has('--quiet') ? {} : { report: (line: string) => process.stdout.write(`${line}\n`) }),
  })
  if (!options.has('--quiet')) process.stdout.write(`${report.built.length} built, ${report.upToDate.length} up to date\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
}
