/** What the model is told of the built-in tools. Pure; the build writes it to `out/tools/descriptors.json`. */
import type { ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import { catalog } from './catalog/index.ts'

export function describeTools(): ToolDescriptor[] {
  return catalog.map((tool) => tool.descriptor)
}
