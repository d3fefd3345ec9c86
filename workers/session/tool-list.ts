/** The tools a model is offered. Read from the file the build made, so that the first request needs no tools worker. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { toolsService } from '#contracts/tools/tools-service.ts'
import { ToolDescriptorSchema, type ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { Peer } from './peer.ts'

const BUILT = new URL('../tools/descriptors.json', import.meta.url)

export class ToolList {
  readonly #tools: Pick<Peer<typeof toolsService>, 'ask'>
  readonly #more: (workspace: string) => Promise<ToolDescriptor[]>
  readonly #onTrouble: (message: string) => void
  #list: Promise<ToolDescriptor[]> | undefined

  constructor(
    tools: Pick<Peer<typeof toolsService>, 'ask'>,
    more: (workspace: string) => Promise<ToolDescriptor[]>,
    onTrouble: (message: string) => void,
  ) {
    this.#tools = tools
    this.#onTrouble = onTrouble
    this.#more = more
  }

  /** The built-in ones in catalogue order, then those of the workspace's MCP servers; the same in every request of a turn. */
  async get(workspace: string): Promise<ToolDescriptor[]> {
    this.#list ??= this.#load().catch((error: unknown) => {
      this.#list = undefined
      throw error
    })
    // Servers whose entries cannot be had cost their tools, not the turn.
    const more = this.#more(workspace).catch((thrown: unknown): ToolDescriptor[] => {
      this.#onTrouble(`MCP tools are left out: ${toErrorData(thrown).message}`)
      return []
    })
    const [builtIn, others] = await Promise.all([this.#list, more])
    return others.length === 0 ? builtIn : [...builtIn, ...others]
  }

  async #load(): Promise<ToolDescriptor[]> {
    // Running from sources there is no built file, and the worker itself is asked.
    const text = import.meta.url.endsWith('.ts') ? undefined : await readFile(BUILT, 'utf8')
    if (text !== undefined) return z.array(ToolDescriptorSchema).parse(JSON.parse(text))
    return (await this.#tools.ask((tools) => tools.describe({}))).tools
  }
}
