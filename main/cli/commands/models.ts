/** `metona models`: what the providers offer, and in words why one offers nothing. */
import { AppError } from '#contracts/wire/app-error.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { modelRow } from '../model-row.ts'
import { withApp } from '../open-app.ts'
import { printTable } from '../table.ts'

/** Diagnoses that the person's settings explain; all others are the network's or the provider's. */
const SETTINGS_PROBLEMS = ['no_key', 'key_malformed', 'key_refused', 'wrong_base_url', 'not_running']

export function models(context: CommandContext): Promise<ExitCode> {
  const provider = context.arguments.words[0]
  return withApp(context, { warm: ['llm'] }, async ({ client }) => {
    if (provider !== undefined) {
      const { providers } = await client.call('providers.list', {})
      if (!providers.some((entry) => entry.id === provider))
        throw new AppError({
          code: 'UNKNOWN_PROVIDER',
          message: provider,
          params: { provider, known: providers.map((entry) => entry.id).join(', ') },
        })
    }
    const { models: found, problems } = await client.call('models.list', { ...(provider === undefined ? {} : { provider }), live: true })
    if (context.json) for (const model of found) context.out.line(JSON.stringify(model))
    else if (found.length > 0)
      printTable(
        context.out,
        context.text.modelsHeader,
        found.map((model) => modelRow(model, context.text)),
      )
    else context.err.line(context.text.noModels)
    for (const problem of problems)
      context.err.line(fill(context.text.problem, { ...problem, message: problem.sentences?.[context.language] ?? problem.message }))
    const worst = problems[0]
    if (provider === undefined || found.length > 0 || worst === undefined) return ExitCode.DONE
    return SETTINGS_PROBLEMS.includes(worst.code) ? ExitCode.CONFIGURATION : ExitCode.FAILED
  })
}
