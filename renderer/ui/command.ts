/** Something a person can have done by its name. `app/commands.ts` lists what there is at the moment. */
import type { LucideIcon } from '@lucide/vue'
import type { KeyName } from './platform.ts'

export interface Command {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: readonly KeyName[]
  run(): void
}
