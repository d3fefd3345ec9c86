/** `metona sessions …`: what is stored in a workspace. Reading needs no trust and takes no lock. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ExportFormat } from '#contracts/export/export-session.ts'
import type { SessionState } from '#contracts/session/session-enums.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { UsageError } from '../arguments.ts'
import type { CommandContext } from '../command-context.ts'
import { confirm } from '../confirm.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import type { Messages } from '../messages-en.ts'
import { withApp } from '../open-app.ts'
import { firstLine } from '../plain-text.ts'
import { openToRead, readSession } from '../read-session.ts'
import { printTable } from '../table.ts'

const STORAGE = { warm: ['storage'] } as const

export function listSessions(context: CommandContext): Promise<ExitCode> {
  return withApp(context, STORAGE, async ({ client }) => {
    const workspace = await openToRead(context, client)
    const sessions = (await client.call('session.list', { workspace })).sessions.toSorted((left, right) =>
      left.updatedAt < right.updatedAt ? 1 : -1,
    )
    if (context.json) for (const session of sessions) context.out.line(JSON.stringify(session))
    else if (sessions.length === 0) context.err.line(fill(context.text.noSessions, { workspace }))
    else
      printTable(
        context.out,
        context.text.sessionsHeader,
        sessions.map((session) => [
          session.sessionId,
          stateName(context.text, session.state),
          session.updatedAt,
          session.model,
          firstLine(session.title, 60),
        ]),
      )
    return ExitCode.DONE
  })
}

export function showSession(context: CommandContext): Promise<ExitCode> {
  const sessionId = context.arguments.words[0] as string
  return withApp(context, STORAGE, async ({ client }) => {
    const events = await readSession(client, await openToRead(context, client), sessionId)
    if (context.json) for (const event of events) context.out.line(JSON.stringify(event))
    else context.out.write((await import('../transcript-text.ts')).transcriptText(events, context.language))
    return ExitCode.DONE
  })
}

export function exportSession(context: CommandContext): Promise<ExitCode> {
  const sessionId = context.arguments.words[0] as string
  const { output, format = context.json ? 'json' : 'md' } = context.arguments.values
  return withApp(context, STORAGE, async ({ client }) => {
    const events = await readSession(client, await openToRead(context, client), sessionId)
    const { exportSession: exportAs } = await import('#contracts/export/export-session.ts')
    const content = exportAs(format as ExportFormat, events, context.language)
    if (output === undefined) {
      context.out.write(content)
      return ExitCode.DONE
    }
    const file = path.resolve(output)
    try {
      await writeFile(file, content)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new AppError({
        code: code === 'ENOSPC' ? 'DISK_FULL' : 'FILE_UNWRITABLE',
        message: String(error),
        params: { file, reason: code ?? '' },
      })
    }
    context.err.line(fill(context.text.exported, { file }))
    return ExitCode.DONE
  })
}

export function searchSessions(context: CommandContext): Promise<ExitCode> {
  const query = context.arguments.words.join(' ')
  return withApp(context, STORAGE, async ({ client }) => {
    const workspace = await openToRead(context, client)
    const { hits } = await client.call('session.search', { workspace, query, limit: 200 })
    for (const hit of hits)
      context.out.line(
        context.json
          ? JSON.stringify(hit)
          : `${hit.sessionId}\t${hit.seq}\t${firstLine(hit.title, 40)}\t${firstLine(hit.snippet.replaceAll('\n', ' '), 160)}`,
      )
    if (hits.length === 0 && !context.json) context.err.line(fill(context.text.noHits, { query }))
    return ExitCode.DONE
  })
}

export function forkSession(context: CommandContext): Promise<ExitCode> {
  const sessionId = context.arguments.words[0] as string
  const atSeq = context.arguments.numbers['at']
  return withApp(
    context,
    STORAGE,
    async ({ client }) => {
      const workspace = await openToWrite(context, client)
      const forked = await client.call('session.fork', { workspace, sessionId, ...(atSeq === undefined ? {} : { atSeq }) })
      context.out.line(context.json ? JSON.stringify(forked) : forked.sessionId)
      return ExitCode.DONE
    },
    { sessionId },
  )
}

export function deleteSession(context: CommandContext): Promise<ExitCode> {
  const sessionId = context.arguments.words[0] as string
  const sure = context.arguments.flags.has('yes')
  if (!sure && !(process.stdin.isTTY && context.err.isTerminal)) throw new UsageError('NOT_CONFIRMED')
  return withApp(
    context,
    STORAGE,
    async ({ client }) => {
      const workspace = await openToWrite(context, client)
      const session = (await client.call('session.list', { workspace })).sessions.find((candidate) => candidate.sessionId === sessionId)
      if (session === undefined) throw new AppError({ code: 'SESSION_NOT_FOUND', message: sessionId, params: { sessionId } })
      if (!sure && !(await confirm(fill(context.text.confirmDelete, { session: sessionId, title: firstLine(session.title, 60) }))))
        return ExitCode.DONE
      await client.call('session.delete', { workspace, sessionId })
      context.out.line(
        context.json ? JSON.stringify({ sessionId, deleted: true }) : fill(context.text.sessionDeleted, { session: sessionId }),
      )
      return ExitCode.DONE
    },
    { sessionId },
  )
}

async function openToWrite(context: CommandContext, client: Parameters<typeof openToRead>[1]): Promise<string> {
  return (
    await client.call('workspace.open', {
      path: context.folder,
      mode: 'write',
      trust: context.arguments.flags.has('trust') ? 'once' : 'stored',
    })
  ).workspace
}

function stateName(text: Messages, state: SessionState): string {
  return {
    idle: text.stateIdle,
    thinking: text.stateThinking,
    tool: text.stateTool,
    needs: text.stateNeeds,
    quota: text.stateQuota,
    done: text.stateDone,
    failed: text.stateFailed,
    stopped: text.stateStopped,
  }[state]
}
