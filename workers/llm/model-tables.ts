/** The model table of this run: the built-in figures with the person's `models.json` on top. */
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import { createModelTable, type LiveModel, type ModelTable } from './domain/model-table.ts'
import { noOverrides, parseModelOverrides, type OverrideProblem } from './domain/model-table-overrides.ts'

export interface ModelTables {
  /** Read at first use. The object stays the same; `reload` changes what it says. */
  current(): Promise<ModelTable>
  /** Reads the file again if it changed. */
  reload(): Promise<ModelTable>
  /** Entries of the file that could not be taken. */
  problems(): Diagnosis[]
}

/** @param readOverrides text and a stamp of the file's state; undefined when there is none. */
export function createModelTables(readOverrides: () => Promise<{ text: string; stamp: string } | undefined>): ModelTables {
  let inner = createModelTable(noOverrides)
  let problems: OverrideProblem[] = []
  let stamp: string | undefined
  let first: Promise<void> | undefined
  const learned = new Map<string, readonly LiveModel[]>()
  const table: ModelTable = {
    describe: (provider, model) => inner.describe(provider, model),
    list: (provider) => inner.list(provider),
    merge: (provider, live) => {
      // A list of one (a model described on its own) does not make the others forgotten.
      learned.set(provider, [...(learned.get(provider) ?? []).filter((known) => !live.some((model) => model.id === known.id)), ...live])
      return inner.merge(provider, live)
    },
    successorOf: (provider, model) => inner.successorOf(provider, model),
  }
  const read = async (): Promise<void> => {
    let file: Awaited<ReturnType<typeof readOverrides>>
    try {
      file = await readOverrides()
    } catch (error) {
      problems = [{ where: 'models.json', message: `cannot be read: ${error instanceof Error ? error.message : String(error)}` }]
      return
    }
    if (file?.stamp === stamp) return
    stamp = file?.stamp
    const parsed = file === undefined ? { overrides: noOverrides, problems: [] } : parseModelOverrides(file.text)
    problems = parsed.problems
    inner = createModelTable(parsed.overrides)
    // What providers said in this run is not forgotten with the file's change.
    for (const [provider, live] of learned) inner.merge(provider, live)
  }
  const current = async (): Promise<ModelTable> => {
    first ??= read()
    await first
    return table
  }
  return {
    current,
    reload: async () => {
      await current()
      await read()
      return table
    },
    problems: () =>
      problems.map(({ where, message }) => ({ provider: 'models.json', ok: false, code: 'unknown', message: `${where}: ${message}` })),
  }
}
