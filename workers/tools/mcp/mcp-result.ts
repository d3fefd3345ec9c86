/** What a server answered, as a tool's output: text bounded, pictures and sounds as files, the rest named. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { RunContext, ToolOutput } from '../define-tool.ts'

const CHARACTERS = 30_000
const BLOCKS = 200
const FILES = 20
/** Names and addresses come from the server. */
const NAME_LIMIT = 300

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
const MediaBlock = z.looseObject({
  type: z.enum(['image', 'audio']),
  data: z.string(),
  mimeType: z.string().catch('application/octet-stream'),
})
const LinkBlock = z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string().optional().catch(undefined) })
const ContentsSchema = z.looseObject({
  uri: z.string().catch(''),
  mimeType: z.string().optional().catch(undefined),
  text: z.string().optional(),
  blob: z.string().optional(),
})
const ResourceBlock = z.looseObject({ type: z.literal('resource'), resource: ContentsSchema })
const BlockSchema = z.union([TextBlock, MediaBlock, LinkBlock, ResourceBlock])

/** Of any shape but for what is looked at: one odd block must not make the others unreadable. */
export const CallResultSchema = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
})

export async function callOutput(server: string, result: z.output<typeof CallResultSchema>, context: RunContext): Promise<ToolOutput> {
  const writer = new BlockWriter(context)
  const blocks = result.content ?? []
  for (const block of blocks.slice(0, BLOCKS)) await writer.block(block)
  if (blocks.length > BLOCKS) writer.line(`[${blocks.length - BLOCKS} more parts were left out.]`)
  const structured = result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent)
  if (structured !== '' && !isSaid(writer.text, structured)) writer.line(structured)
  const text = await boundText(writer.text === '' ? '[The tool returned nothing.]' : writer.text, context)
  return {
    result: text,
    display: { kind: 'mcp', server, files: writer.files },
    ...(result.isError === true ? { error: text.slice(0, 500) } : {}),
  }
}

/** Contents of a resource. */
export async function resourceOutput(server: string, contents: readonly unknown[], context: RunContext): Promise<ToolOutput> {
  const writer = new BlockWriter(context)
  for (const resource of contents.slice(0, BLOCKS)) await writer.block({ type: 'resource', resource })
  const text = await boundText(writer.text === '' ? '[The resource is empty.]' : writer.text, context)
  return { result: text, display: { kind: 'mcp', server, files: writer.files } }
}

/** Long text goes to a file the model can read on in. */
export async function boundText(text: string, context: RunContext): Promise<string> {
  if (text.length <= CHARACTERS) return text
  const file = context.services.outputs.create(context.place.sessionId, context.callId)
  file.append(text)
  await file.close()
  return `${text.slice(0, CHARACTERS)}\n[… ${text.length - CHARACTERS} more characters; the whole text is in ${file.path}: read on with read_file and offset/limit.]`
}

/** Collects parts as text; binary ones become files of the profile. */
export class BlockWriter {
  readonly files: { path: string; mimeType: string; bytes: number }[] = []
  readonly #context: RunContext
  readonly #lines: string[] = []

  constructor(context: RunContext) {
    this.#context = context
  }

  get text(): string {
    return this.#lines.join('\n')
  }

  line(text: string): void {
    this.#lines.push(text)
  }

  async block(raw: unknown): Promise<void> {
    const parsed = BlockSchema.safeParse(raw)
    if (!parsed.success) return this.line(`[A part of an unknown kind: ${JSON.stringify(raw)?.slice(0, NAME_LIMIT) ?? 'nothing'}]`)
    const block = parsed.data
    switch (block.type) {
      case 'text':
        return this.line(block.text)
      case 'image':
      case 'audio':
        return this.#file(block.type, block.data, block.mimeType)
      case 'resource_link':
        return this.line(`[Resource ${(block.name ?? '').slice(0, NAME_LIMIT)} ${block.uri.slice(0, NAME_LIMIT)}]`)
      case 'resource': {
        const { uri, mimeType, text, blob } = block.resource
        this.line(`[Resource ${uri.slice(0, NAME_LIMIT)}${mimeType === undefined ? '' : `, ${mimeType.slice(0, 100)}`}]`)
        if (text !== undefined) this.line(text)
        if (blob !== undefined) await this.#file('resource', blob, mimeType ?? 'application/octet-stream')
      }
    }
  }

  async #file(kind: string, base64: string, mimeType: string): Promise<void> {
    const type = mimeType.slice(0, 100)
    if (this.files.length >= FILES) return this.line(`[One more ${kind} (${type}) was left out.]`)
    const bytes = Buffer.from(base64, 'base64')
    const folder = join(this.#context.services.outputs.folder, safe(this.#context.place.sessionId))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${safe(this.#context.callId)}-${this.files.length + 1}${ENDINGS[type.toLowerCase()] ?? '.bin'}`)
    await writeFile(path, bytes, { mode: 0o600 })
    this.files.push({ path, mimeType: type, bytes: bytes.length })
    this.line(`[${kind} ${type}, ${bytes.length} bytes: ${path}]`)
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'application/pdf': '.pdf',
  'application/json': '.json',
  'text/plain': '.txt',
}

/** Servers repeat structured content as text for those who do not read it. */
function isSaid(text: string, structured: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === structured
  } catch {
    return text.includes(structured)
  }
}

function safe(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 100)
}
