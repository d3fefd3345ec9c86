import type { Secret } from '#workers/shared/redact.ts'
import { keep } from './keep.ts'
import type { Services } from './services.ts'

/** From now on these are kept out of everything written or shown. */
export function keepSecret(services: Services, ...found: readonly Secret[]): void {
  const before = services.secrets.added.length
  services.secrets.add(...found)
  if (services.secrets.added.length === before) return
  const secrets = [...services.secrets.added]
  // Workers that are not there yet are told when they come.
  if (services.storage.started)
    keep(
      services,
      'secrets',
      services.storage.client().then((storage) => storage.setSecrets({ secrets })),
    )
  if (services.tools.started)
    keep(
      services,
      'secrets',
      services.tools.client().then((tools) => tools.setSecrets({ secrets })),
    )
}
