/** The bash grammar of tree-sitter, loaded at the first command line that is read and kept: about 25 ms and 18 MB. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Parser } from 'web-tree-sitter'
import { readSyntaxTree, type SyntaxReading } from '../domain/shell/read-syntax-tree.ts'

/** A line that takes longer is no line a person could judge either. */
const TIME_LIMIT_MS = 250

let loading: Promise<Parser> | undefined

/** @returns nothing where the line takes too long. Rejects when the grammar cannot be loaded; the next call tries again. */
export async function readByGrammar(line: string): Promise<SyntaxReading | undefined> {
  loading ??= loadGrammar().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  const parser = await loading
  const startedAt = performance.now()
  const tree = parser.parse(line, null, { progressCallback: () => performance.now() - startedAt > TIME_LIMIT_MS })
  if (tree === null) {
    parser.reset()
    return undefined
  }
  try {
    return readSyntaxTree(tree.rootNode)
  } finally {
    tree.delete()
  }
}

async function loadGrammar(): Promise<Parser> {
  // Bash's lexer is one huge function: once it has run for a while V8 would compile it anew, with 300 MiB for a moment (measured).
  setFlagsFromString('--wasm-tiering-budget=1000000000')
  // Both stay packages of their own beside the bundles: code and WebAssembly of one version belong together.
  const { resolve } = createRequire(import.meta.url)
  const [{ Language, Parser: BashParser }, runtime, grammar] = await Promise.all([
    import('web-tree-sitter'),
    readFile(resolve('web-tree-sitter/web-tree-sitter.wasm')),
    readFile(resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  ])
  await BashParser.init({ wasmBinary: runtime })
  const parser = new BashParser()
  parser.setLanguage(await Language.load(grammar))
  return parser
}
