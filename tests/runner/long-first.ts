/** Which file starts first: one that says `// long: WHY` must not be the last one, when every other worker is idle. */
import { readFile } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONG = /^\/\/ long: .+$/m

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const marked = await Promise.all(sorted.map(async (file) => LONG.test(await readFile(file.moduleId, 'utf8'))))
    return [...sorted.filter((_, index) => marked[index]), ...sorted.filter((_, index) => marked[index] !== true)]
  }
}
