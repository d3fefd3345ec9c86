/**
 * Reads a bash syntax tree: every command in it, wherever it stands (pipe, list, substitution, here-document, subshell,
 * function, loop), and the first thing in it that is more than plain commands one after another.
 */
import type { CommandPartCode } from '#contracts/tools/approval-reasons.ts'
import { RESERVED_WORDS } from './parse-command-line.ts'

/** What is needed of a node of the parser's tree. */
export interface SyntaxNode {
  readonly type: string
  readonly text: string
  readonly isNamed: boolean
  readonly isMissing: boolean
  readonly isError: boolean
  readonly children: readonly (SyntaxNode | null)[]
}

export interface SyntaxReading {
  /** In the order of the text, quotes taken off; a word that is computed stands as it was written. */
  readonly commands: readonly (readonly string[])[]
  /** Some command's name is computed when it runs, or not all was looked at. */
  readonly hidesCommands: boolean
  readonly unclear: CommandPartCode | undefined
}

/** Kinds that hold commands one after another, and the operators between these. */
const HOLDERS = new Set(['program', 'list', 'pipeline', 'redirected_statement'])
const OPERATORS = new Set(['|', '&&', '||', ';', '\n'])
const COMMANDS = new Set(['command', 'declaration_command', 'unset_command', 'test_command'])
const REDIRECTS = new Set(['file_redirect', 'heredoc_redirect', 'herestring_redirect'])
/** Kinds that say nothing by themselves. */
const PLAIN = new Set(
  'command command_name declaration_command unset_command word number string string_content raw_string concatenation variable_name file_descriptor'.split(
    ' ',
  ),
)
const MEANING: Readonly<Record<string, CommandPartCode>> = {
  subshell: 'subshell',
  function_definition: 'subshell',
  compound_statement: 'braces',
  brace_expression: 'braces',
  negated_command: 'exclamation',
  comment: 'comment',
  command_substitution: 'substitution',
  process_substitution: 'substitution',
  simple_expansion: 'variable',
  expansion: 'variable',
  arithmetic_expansion: 'variable',
  translated_string: 'variable',
  variable_assignment: 'assignment',
  variable_assignments: 'assignment',
  heredoc_redirect: 'input',
  herestring_redirect: 'input',
  ansi_c_string: 'backslash',
  if_statement: 'shell_word',
  while_statement: 'shell_word',
  for_statement: 'shell_word',
  c_style_for_statement: 'shell_word',
  case_statement: 'shell_word',
  test_command: 'shell_word',
}
/** Deeper than any command a person could judge. */
const MAX_DEPTH = 400

export function readSyntaxTree(root: SyntaxNode): SyntaxReading {
  const commands: string[][] = []
  let hidesCommands = false
  let unclear: CommandPartCode | undefined

  const visit = (node: SyntaxNode, parent: SyntaxNode | undefined, depth: number): void => {
    unclear ??= meaningOf(node, parent)
    // Words after a redirect belong to the command before it; the grammar leaves them with the redirect.
    if (node.type === 'file_redirect' && targetsOf(node).length > 1) hidesCommands = true
    if (depth > MAX_DEPTH) {
      hidesCommands = true
      return
    }
    if (COMMANDS.has(node.type)) {
      const [name, ...words] = wordsOf(node)
      const plainName = name === undefined ? undefined : plainValue(name)
      // After `time` and the like the command proper follows.
      if (plainName === undefined || RESERVED_WORDS.has(plainName)) hidesCommands = true
      else commands.push([plainName, ...words.map((word) => plainValue(word) ?? word.text)])
    }
    for (const child of node.children) if (child !== null) visit(child, node, depth + 1)
  }
  visit(root, undefined, 0)
  return { commands, hidesCommands, unclear }
}

function meaningOf(node: SyntaxNode, parent: SyntaxNode | undefined): CommandPartCode | undefined {
  if (node.isError || node.isMissing) return 'syntax'
  if (!node.isNamed) {
    if (parent === undefined || !HOLDERS.has(parent.type) || OPERATORS.has(node.text)) return undefined
    return node.text === '&' ? 'background' : 'operator'
  }
  if (node.type === 'file_redirect') return redirectMeaning(node)
  // `export A=1`: its words, as any program's.
  if (node.type === 'variable_assignment' && parent?.type === 'declaration_command') return undefined
  if (HOLDERS.has(node.type) || PLAIN.has(node.type)) return undefined
  return MEANING[node.type] ?? 'syntax'
}

/** Output to nowhere, and one stream into the other, change nothing. */
function redirectMeaning(node: SyntaxNode): CommandPartCode | undefined {
  const operator = node.children.find((child) => child?.isNamed === false)
  const [target, ...more] = targetsOf(node)
  if (operator === undefined || operator === null || target === undefined || operator.text.startsWith('<')) return 'input'
  const nowhere = /^>>?$/.test(operator.text) && target.text === '/dev/null'
  const joined = operator.text === '>&' && /^[12]$/.test(target.text)
  return more.length === 0 && (nowhere || joined) ? undefined : 'output'
}

function targetsOf(redirect: SyntaxNode): SyntaxNode[] {
  return redirect.children.filter((child): child is SyntaxNode => child?.isNamed === true && child.type !== 'file_descriptor')
}

function wordsOf(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter(
    (child): child is SyntaxNode =>
      child !== null && !REDIRECTS.has(child.type) && !(node.type === 'command' && child.type === 'variable_assignment'),
  )
}

/** The word as a program gets it; nothing where it is computed. */
function plainValue(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'word':
      // Patterns and braces become other words.
      return /[*?[\]{}~]/.test(node.text) ? undefined : node.text.replace(/\\([^])/g, '$1')
    case 'raw_string':
      return node.text.slice(1, -1)
    case 'string':
      return node.children.some((child) => child?.isNamed === true && child.type !== 'string_content') ? undefined : node.text.slice(1, -1)
    case 'number':
    case 'variable_name':
      return node.text
    case 'command_name':
    case 'concatenation':
    case 'variable_assignment': {
      const parts = node.children.map((child) => (child === null ? undefined : plainValue(child)))
      return parts.includes(undefined) ? undefined : parts.join('')
    }
    default:
      return node.isNamed ? undefined : node.text
  }
}
