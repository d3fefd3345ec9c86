/** `metona doctor`: is everything there, are database and logs equal, which part is slow. */
import { access, constants } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { DoctorReport } from '#contracts/storage/doctor-report.ts'
import { sandboxText } from '#contracts/tools/sandbox-state.ts'
import { AGENT_VERSION } from '#main/host/agent-version.ts'
import { profileFolder } from '#main/host/profile-folder.ts'
import { UsageError } from '../arguments.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp, type App } from '../open-app.ts'

/** A rebuild of a large workspace reads every log. */
const LONG_MS = 600_000

export async function doctor(context: CommandContext): Promise<ExitCode> {
  const { flags } = context.arguments
  const chosen = ['verify', 'rebuild', 'perf'].filter((name) => flags.has(name))
  if (chosen.length > 1) throw new UsageError('OPTIONS_CLASH', { left: `--${chosen[0]}`, right: `--${chosen[1]}` })
  switch (chosen[0]) {
    case 'verify':
      return withApp(context, { warm: ['storage'] }, async ({ client }) =>
        printReport(context, 'verify', await client.call('doctor.verify', { workspace: context.folder }, LONG_MS)),
      )
    case 'rebuild':
      return withApp(context, { warm: ['storage'] }, async ({ client }) =>
        printReport(context, 'rebuild', await client.call('doctor.rebuild', { workspace: context.folder }, LONG_MS)),
      )
    case 'perf':
      return (await import('./doctor-perf.ts')).doctorPerf(context)
    default:
      return withApp(context, { warm: ['storage', 'llm'] }, (app) => printOverview(context, app))
  }
}

/** The last line is contract, in every language alike. */
function printReport({ out, err, text, json }: CommandContext, kind: 'verify' | 'rebuild', report: DoctorReport): ExitCode {
  for (const notice of report.notices) err.line(fill(text.notice, { message: notice }))
  for (const difference of report.differences)
    out.line(
      json
        ? JSON.stringify({ difference })
        : fill(text.difference, {
            message:
              `${difference.sessionId ?? ''}${difference.seq === undefined ? '' : ` ${difference.seq}`} ${difference.kind}: ${difference.message}`.trim(),
          }),
    )
  const counts = { sessions: report.sessions, events: report.events, audit: report.auditRows, differences: report.differences.length }
  out.line(json ? JSON.stringify({ [kind]: counts }) : fill(kind === 'verify' ? text.verifyLine : text.rebuildLine, counts))
  return report.differences.length === 0 ? ExitCode.DONE : ExitCode.FAILED
}

async function printOverview(context: CommandContext, { client }: App): Promise<ExitCode> {
  const { text, json, out, environment, folder } = context
  const say = (name: string, label: string, value: string): void => out.line(json ? JSON.stringify({ name, value }) : `${label}: ${value}`)
  say('version', 'Metona', AGENT_VERSION)
  say('node', text.doctorNode, process.version)
  say('platform', text.doctorPlatform, `${process.platform} ${process.arch}, ${os.release()}`)
  say('profile', text.doctorProfile, profileFolder(environment))
  say('sandbox', text.doctorSandbox, sandboxText(await client.call('sandbox.read', {}), context.language))
  const workspace = folder
  const known = await reachable(path.join(workspace, '.metona'), constants.R_OK)
  say('workspace', text.doctorWorkspace, known ? workspace : fill(text.doctorNoWorkspace, { path: workspace }))
  for (const provider of (await client.call('providers.list', {})).providers) {
    const state = !provider.keyRequired
      ? text.doctorNoKeyNeeded
      : provider.hasKey
        ? text.doctorKey
        : fill(text.doctorNoKey, { variable: provider.keyVariable })
    say(`provider.${provider.id}`, provider.displayName, state)
  }
  for (const model of (await client.call('models.tokenStats', {})).models) {
    const values = { reports: model.reports, p95: percent(model.p95Error), worst: percent(model.worstError) }
    say(`tokens.${model.provider}/${model.model}`, fill(text.doctorTokens, { model: model.model }), fill(text.doctorTokenError, values))
  }
  return ExitCode.DONE
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function reachable(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  )
}
