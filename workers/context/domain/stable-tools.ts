/** The tools block: sorted by name, and byte for byte the same for as long as the tools are the same. */
import { canonicalJson } from '#contracts/context/canonical-json.ts'
import type { MetonaToolDef } from '#contracts/metona/metona-tool.ts'

export interface StableTools {
  readonly tools: readonly MetonaToolDef[]
  /** Names the block; equal exactly when the tools are. */
  readonly signature: string
}

/**
 * Keys inside a schema keep the order they came in (models fill arguments in that order); a set that equals the
 * previous one is given out as the previous one, so that another key order does not move a byte.
 */
export function stableTools(tools: readonly MetonaToolDef[], previous: StableTools | undefined): StableTools {
  const sorted = tools
    .toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
    .filter((tool, index, all) => tool.name !== all[index - 1]?.name)
  const signature = canonicalJson(sorted)
  return previous?.signature === signature ? previous : { tools: sorted, signature }
}
