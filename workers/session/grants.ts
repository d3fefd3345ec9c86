/** What the person allowed beyond one call: for this session in memory, for good in the profile. Nothing of it comes from the folder. */
import type { GrantKey } from '#contracts/storage/profile-methods.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { CallGrant } from './domain/turn-ports.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'

/** Asked anew for each call, so that one taken back holds no longer. Never rejects; where the profile cannot be read, nothing is granted. */
export async function hasGrant(services: Services, session: LiveSession, grant: CallGrant): Promise<boolean> {
  const unboxed = grant === 'edits' ? grant : { ...grant, sandboxed: false }
  if (session.grants.has(keyOf(grant)) || session.grants.has(keyOf(unboxed))) return true
  if (grant === 'edits') return false
  try {
    return (await services.storage.ask((storage) => storage.grantCovers(storedForm(session, grant)))).covered
  } catch (thrown) {
    services.context.log('warn', `grants of ${session.workspace}: ${toErrorData(thrown).message}`)
    return false
  }
}

/** Never rejects: one that cannot be kept holds for the session. */
export async function addGrant(services: Services, session: LiveSession, grant: CallGrant, scope: 'session' | 'always'): Promise<void> {
  // One for good is not kept here as well: it must end when it is taken back.
  if (scope === 'always' && grant !== 'edits') {
    try {
      await services.storage.ask((storage) => storage.grantAdd(storedForm(session, grant)))
      return
    } catch (thrown) {
      services.context.log('warn', `a grant in ${session.workspace} holds for this session only: ${toErrorData(thrown).message}`)
    }
  }
  session.grants.add(keyOf(grant))
}

function keyOf(grant: CallGrant): string {
  return grant === 'edits' ? grant : `${grant.sandboxed}\n${grant.tool}\n${grant.prefix}`
}

function storedForm({ workspace }: LiveSession, { tool, prefix, sandboxed }: Exclude<CallGrant, 'edits'>): GrantKey {
  return { workspace, tool, prefix, sandbox: sandboxed ? 'auto' : 'off' }
}
