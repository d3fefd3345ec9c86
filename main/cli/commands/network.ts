/** `metona network`: the domains that sandboxed commands may reach. Kept in the profile, never in the folder. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { SandboxNetworkSchema, type SandboxNetwork } from '#contracts/tools/sandbox-network.ts'
import { ALLOWED_DOMAIN } from '#contracts/tools/allowed-domains.ts'
import { UsageError } from '../arguments.ts'
import type { Client } from '../client.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp } from '../open-app.ts'
import { printTable } from '../table.ts'

const KEY = 'security.sandboxNetwork'

export function listDomains(context: CommandContext): Promise<ExitCode> {
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const folder = await namedFolder(context)
    const shown = (await read(client)).filter((entry) => folder === undefined || entry.folder === undefined || entry.folder === folder)
    if (context.json) for (const entry of shown) context.out.line(JSON.stringify(entry))
    else if (shown.length === 0) context.err.line(context.text.noDomains)
    else
      printTable(
        context.out,
        context.text.domainsHeader,
        shown.map(({ domain, folder: where }) => [domain, where ?? context.text.domainEverywhere]),
      )
    return ExitCode.DONE
  })
}

export const allowDomain = (context: CommandContext): Promise<ExitCode> => change(context, 'domainAllowed')

export const removeDomain = (context: CommandContext): Promise<ExitCode> => change(context, 'domainRemoved')

type AllowedDomain = SandboxNetwork[number]

function change(context: CommandContext, said: 'domainAllowed' | 'domainRemoved'): Promise<ExitCode> {
  const domain = (context.arguments.words[0] as string).toLowerCase()
  if (!ALLOWED_DOMAIN.test(domain)) throw new UsageError('BAD_DOMAIN', { domain })
  return withApp(context, { warm: ['storage'] }, async ({ client }) => {
    const folder = await namedFolder(context)
    const wanted: AllowedDomain = { domain, ...(folder === undefined ? {} : { folder }) }
    const allowed = said === 'domainAllowed'
    const { changed } = await client.call('config.setDomain', { ...wanted, allowed })
    const found = allowed || changed
    const where = folder ?? context.text.domainEverywhere
    if (context.json) context.out.line(JSON.stringify({ ...wanted, allowed }))
    else context.out.line(fill(found ? context.text[said] : context.text.domainNotThere, { domain, where }))
    return ExitCode.DONE
  })
}

/** `-w` names it; without it every folder is meant. */
async function namedFolder(context: CommandContext): Promise<string | undefined> {
  const named = context.arguments.values['workspace']
  if (named === undefined) return undefined
  const folder = path.resolve(named)
  return realpath(folder).catch(() => {
    throw new UsageError('NOT_A_FOLDER', { path: folder })
  })
}

async function read(client: Client): Promise<SandboxNetwork> {
  const { entries } = await client.call('config.list', {})
  return SandboxNetworkSchema.parse(entries.find((entry) => entry.key === KEY)?.value ?? [])
}
