/** How a bundle gets the modules of Node itself. */
import type { Plugin, Rollup } from 'vite'

/**
 * Takes each `node:` module whole, as `require` would, instead of importing it. An import reads every export of the
 * module once, and some exports load whole parts of Node when they are read: `node:http` its `fetch` and HTTP/2,
 * `node:crypto` the web API, `node:util` its command line parser. A thread that only wants a request paid for all of it.
 */
export function builtinModulesWhole(): Plugin {
  return {
    name: 'metona:builtin-modules-whole',
    renderChunk(code) {
      if (!MENTION.test(code)) return null
      const changes: Change[] = []
      const take = (node: Node): void => {
        const change = changeOf(node)
        if (change !== undefined) changes.push(change)
      }
      const program = this.parse(code)
      if (LATER.test(code)) walk(program, take)
      else for (const statement of program.body) take(statement)
      return { code: changes.reduceRight((text, { start, end, by }) => text.slice(0, start) + by + text.slice(end), code), map: null }
    },
  }
}

/** Cheaper than parsing: most chunks, and all the big ones, name none. */
const MENTION = /["'`]node:/
/** Only then more than the statements at the top has to be looked at. */
const LATER = /\bimport\s*\(\s*["'`]node:/

interface Change {
  readonly start: number
  readonly end: number
  readonly by: string
}

type Program = ReturnType<Rollup.PluginContext['parse']>
type Node = { readonly type: string; readonly start: number; readonly end: number }

function changeOf(node: Node): Change | undefined {
  if (node.type === 'ImportDeclaration') {
    const { source, specifiers } = node as Program['body'][number] & { type: 'ImportDeclaration' }
    if (!isBuiltin(source.value)) return undefined
    const names: string[] = []
    const bindings: string[] = []
    for (const specifier of specifiers) {
      if (specifier.type !== 'ImportSpecifier') bindings.push(`const ${specifier.local.name} = ${whole(source.value)};`)
      else if (nameOf(specifier.imported) === 'default') bindings.push(`const ${specifier.local.name} = ${whole(source.value)};`)
      else names.push(`${nameOf(specifier.imported)}: ${specifier.local.name}`)
    }
    if (names.length > 0) bindings.push(`const { ${names.join(', ')} } = ${whole(source.value)};`)
    return { start: node.start, end: node.end, by: bindings.join('\n') }
  }
  if (node.type === 'ImportExpression') {
    const { source } = node as Node & { readonly source: { readonly type: string; readonly value?: unknown } }
    if (source.type !== 'Literal' || !isBuiltin(source.value)) return undefined
    // Imported as a namespace: `default` is the module itself.
    return { start: node.start, end: node.end, by: `Promise.resolve(${whole(source.value)})` }
  }
  return undefined
}

function nameOf(name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return name.type === 'Identifier' ? String(name.name) : JSON.stringify(name.value)
}

function isBuiltin(name: unknown): name is string {
  return typeof name === 'string' && name.startsWith('node:')
}

function whole(name: string): string {
  return `process.getBuiltinModule(${JSON.stringify(name)})`
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const entry of value) walk(entry, visit)
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    visit(value as unknown as Node)
    for (const child of Object.values(value)) walk(child, visit)
  }
}
