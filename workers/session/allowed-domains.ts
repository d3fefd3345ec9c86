/** The names that sandboxed commands of a folder may reach: the person's setting, asked anew for each command. */
import { SandboxNetworkSchema } from '#contracts/tools/sandbox-network.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { Services } from './services.ts'

/** @param workspace its real path. Never rejects; where the profile cannot be read, nothing is allowed. */
export async function allowedDomains(services: Services, workspace: string): Promise<string[]> {
  try {
    // Without a folder only the profile answers: this is never a folder's to say.
    const { values } = await services.storage.ask((storage) => storage.configValues({}))
    const allowed = SandboxNetworkSchema.catch([]).parse(values['security.sandboxNetwork'])
    return [...new Set(allowed.filter(({ folder }) => folder === undefined || folder === workspace).map(({ domain }) => domain))]
  } catch (thrown) {
    services.context.log('warn', `allowed domains of ${workspace}: ${toErrorData(thrown).message}`)
    return []
  }
}
