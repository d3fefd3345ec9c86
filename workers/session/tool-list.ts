/** The tools a model is offered. Read from the file the build made, so that the first request needs no tools worker. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { ToolDescriptorSchema, type ToolDescriptor, type toolsService } from '#contracts/tools/tools-service.ts'
import type { Peer } from './peer.ts'

const BUILT = new URL('../tools/descriptors.json', import.meta.url)

export class ToolList {
  readonly #tools: Peer<typeof toolsService>
  #list: Promise<ToolDescriptor[]> | undefined

  constructor(tools: Peer<typeof toolsService>) {
    this.#tools = tools
  }

  /** In catalogue order, the same in every request. */
  async get(): Promise<ToolDescriptor[]> {
    this.#list ??= this.#load().catch((error: unknown) => {
      this.#list = undefined
      throw error
    })
    return this.#list
  }

  async #load(): Promise<ToolDescriptor[]> {
    // Running from sources there is no built file, and the worker itself is asked.
    const text = import.meta.url.endsWith('.ts') ? undefined : await readFile(BUILT, 'utf8')
    if (text !== undefined) return z.array(ToolDescriptorSchema).parse(JSON.parse(text))
    return (await this.#tools.ask((tools) => tools.describe({}))).tools
  }
}
