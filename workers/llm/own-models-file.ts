/** The person's `models.json`: read with the file as it is, written in one step, unknown parts kept. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ModelOverride } from '#contracts/llm/model-overrides.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { noOverrides, parseModelOverrides } from './domain/model-table-overrides.ts'

export interface OwnModelsFile {
  /** Entries that are sound, by `provider/model`. */
  read(): Promise<Record<string, ModelOverride>>
  /** @param override null takes the entry out. @throws AppError MODELS_FILE_DAMAGED */
  set(model: string, override: ModelOverride | null): Promise<void>
}

export function ownModelsFile(path: string): OwnModelsFile {
  /** One change after another: each starts from what the one before wrote. */
  let last: Promise<unknown> = Promise.resolve()
  const text = async (): Promise<string | undefined> => {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
  const change = async (model: string, override: ModelOverride | null): Promise<void> => {
    const value = parseObject(await text(), path)
    const models = { ...(isObject(value['models']) ? value['models'] : {}) }
    if (override === null) delete models[model]
    else models[model] = override
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
    try {
      await writeFile(temporary, `${JSON.stringify({ ...value, models }, null, 2)}\n`, { flush: true })
      await rename(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }
  return {
    read: async () => {
      const content = await text()
      return { ...(content === undefined ? noOverrides : parseModelOverrides(content).overrides).models }
    },
    set: (model, override) => {
      const done = last.then(() => change(model, override))
      // The next change goes on from whatever this one left.
      last = done.catch(() => undefined)
      return done
    },
  }
}

function parseObject(text: string | undefined, path: string): Record<string, unknown> {
  if (text === undefined || text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(value)) return value
  } catch {
    // Said below, together with a file that is JSON but no object.
  }
  throw new AppError({ code: 'MODELS_FILE_DAMAGED', message: `${path} is not valid JSON; it was left as it is`, params: { path } })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
