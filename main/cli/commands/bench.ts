/** `metona bench`: the measurements of the test suite, in a process of their own. */
import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '#contracts/wire/app-error.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { ROOT } from '../places.ts'

export async function bench(context: CommandContext): Promise<ExitCode> {
  const script = path.join(ROOT, 'tests', 'run.ts')
  await access(script).catch(() => {
    throw new AppError({ code: 'NOT_BUILT', message: `${script} is missing`, params: { what: script } })
  })
  const forget = context.interruption.handle(() => undefined)
  const child = spawn(process.execPath, [script, 'bench', ...context.arguments.words], { cwd: ROOT, stdio: 'inherit' })
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exit, signal) => resolve(signal === null ? (exit ?? ExitCode.FAILED) : ExitCode.ABORTED))
  })
  forget()
  return code as ExitCode
}
