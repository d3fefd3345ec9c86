/** The names sandboxed commands may reach: one setting of the profile, seen as a list. */
import { ALLOWED_DOMAIN } from '#contracts/tools/allowed-domains.ts'
import { SandboxNetworkSchema, type SandboxNetwork, type SetDomain } from '#contracts/tools/sandbox-network.ts'
import { defineStore } from 'pinia'
import { computed } from 'vue'
import { useConfigStore } from './config.ts'
import { useConnectionStore } from './connection.ts'
import { toProblem } from './to-problem.ts'

type AllowedDomain = SandboxNetwork[number]
const KEY = 'security.sandboxNetwork'

export const useAllowedDomainsStore = defineStore('allowed-domains', () => {
  const config = useConfigStore()
  const connection = useConnectionStore()
  const list = computed(() => SandboxNetworkSchema.catch([]).parse(config.value(KEY) ?? []))
  const refusal = computed(() => config.refusals[KEY])

  /** Whether commands of the folder may reach it. */
  const allows = (domain: string, folder: string | undefined): boolean =>
    list.value.some((entry) => entry.domain === domain && (entry.folder === undefined || entry.folder === folder))

  /** What a person types, such as a whole address, as the name in it; undefined for what is none. */
  function domainIn(text: string): string | undefined {
    const typed = text.trim().toLowerCase()
    const [, star = '', rest = ''] = /^(\*\.)?(.*)$/.exec(typed.replace(/^[a-z]+:\/\//, '').replace(/\/.*$/, '')) ?? []
    const host = URL.canParse(`http://${rest}`) ? new URL(`http://${rest}`).host : rest
    const domain = `${star}${host}`
    return ALLOWED_DOMAIN.test(domain) ? domain : undefined
  }

  async function set(change: SetDomain): Promise<void> {
    try {
      config.took((await connection.call('config.setDomain', change)).entry)
    } catch (error) {
      config.refused(KEY, toProblem(error))
    }
  }

  const allow = (domain: string, folder: string | undefined): Promise<void> =>
    set({ domain, ...(folder === undefined ? {} : { folder }), allowed: true })
  const remove = (gone: AllowedDomain): Promise<void> => set({ ...gone, allowed: false })

  return { list, refusal, allows, domainIn, allow, remove }
})
