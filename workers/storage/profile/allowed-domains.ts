/** One domain of the person's list at a time: who writes the whole list from an older copy brings back what was taken out since. */
import { SandboxNetworkSchema, type SetDomain } from '#contracts/tools/sandbox-network.ts'
import { checkedValue, keyOf } from './effective-config.ts'
import type { Profile } from './profile.ts'

export const SANDBOX_NETWORK = 'security.sandboxNetwork'

/** @returns whether it was not so already. @throws AppError BAD_CONFIG_VALUE when the list is full. */
export function setAllowedDomain(profile: Profile, { domain, folder, allowed }: SetDomain): boolean {
  return profile.atOnce(() => {
    const config = profile.config()
    const list = SandboxNetworkSchema.catch([]).parse(JSON.parse(config.get(SANDBOX_NETWORK) ?? '[]'))
    const others = list.filter((entry) => entry.domain !== domain || entry.folder !== folder)
    if (allowed === others.length < list.length) return false
    const next = allowed ? [...list, { domain, ...(folder === undefined ? {} : { folder }) }] : others
    profile.setConfig(SANDBOX_NETWORK, checkedValue(SANDBOX_NETWORK, next, config, false), keyOf(SANDBOX_NETWORK).category)
    return true
  })
}
