/** Every command: its options, its words, and the module that is loaded when it is called. */
import type { OptionTable } from './arguments.ts'
import type { Command } from './command-context.ts'
import { SESSION_OPTIONS } from './session-settings.ts'

export interface CommandEntry {
  readonly options: OptionTable
  /** Fewest and most words after the command. */
  readonly words: readonly [number, number]
  load(): Promise<Command>
}

/** Given to every command. */
export const GLOBAL_OPTIONS = {
  workspace: { kind: 'text', short: 'w' },
  json: { kind: 'flag' },
  lang: { kind: ['zh', 'en'] },
  help: { kind: 'flag', short: 'h' },
} as const satisfies OptionTable

const sessions = () => import('./commands/sessions.ts')
const config = () => import('./commands/config.ts')
const memory = () => import('./commands/memory.ts')
const network = () => import('./commands/network.ts')
const mcp = () => import('./commands/mcp.ts')
const ANY = Infinity

const TRUST = { trust: { kind: 'flag' } } as const satisfies OptionTable

export const COMMAND_TABLE: Readonly<Record<string, CommandEntry>> = {
  run: {
    options: {
      ...SESSION_OPTIONS,
      session: { kind: 'text' },
      'max-iterations': { kind: 'integer' },
      timeout: { kind: 'seconds' },
      strict: { kind: 'flag' },
      deltas: { kind: 'flag' },
    },
    words: [0, ANY],
    load: async () => (await import('./commands/run.ts')).run,
  },
  batch: {
    options: { ...SESSION_OPTIONS, concurrency: { kind: 'integer' } },
    words: [1, 1],
    load: async () => (await import('./commands/batch.ts')).batch,
  },
  serve: {
    options: { port: { kind: 'port' }, 'no-open': { kind: 'flag' } },
    words: [0, 0],
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  start: {
    options: { web: { kind: 'flag' }, port: { kind: 'port' }, 'no-open': { kind: 'flag' } },
    words: [0, 0],
    load: async () => (await import('./commands/start.ts')).start,
  },
  'sessions list': { options: {}, words: [0, 0], load: async () => (await sessions()).listSessions },
  'sessions show': { options: {}, words: [1, 1], load: async () => (await sessions()).showSession },
  'sessions export': {
    options: { format: { kind: ['md', 'json', 'html'] }, output: { kind: 'text', short: 'o' } },
    words: [1, 1],
    load: async () => (await sessions()).exportSession,
  },
  'sessions search': { options: {}, words: [1, ANY], load: async () => (await sessions()).searchSessions },
  'sessions fork': {
    options: { at: { kind: 'integer' }, trust: { kind: 'flag' } },
    words: [1, 1],
    load: async () => (await sessions()).forkSession,
  },
  'sessions delete': {
    options: { yes: { kind: 'flag', short: 'y' }, trust: { kind: 'flag' } },
    words: [1, 1],
    load: async () => (await sessions()).deleteSession,
  },
  trust: {
    options: { list: { kind: 'flag' }, remove: { kind: 'text' }, grants: { kind: 'flag' }, revoke: { kind: 'integer' } },
    words: [0, 1],
    load: async () => (await import('./commands/trust.ts')).trust,
  },
  'network list': { options: {}, words: [0, 0], load: async () => (await network()).listDomains },
  'network allow': { options: {}, words: [1, 1], load: async () => (await network()).allowDomain },
  'network remove': { options: {}, words: [1, 1], load: async () => (await network()).removeDomain },
  'memory list': {
    options: { type: { kind: ['semantic', 'episodic', 'working'] } },
    words: [0, 0],
    load: async () => (await memory()).listMemories,
  },
  'memory add': {
    options: {
      type: { kind: ['semantic', 'episodic'] },
      section: { kind: ['preferences', 'context', 'decisions', 'todo', 'issues'] },
      pin: { kind: 'flag' },
      trust: { kind: 'flag' },
    },
    words: [1, ANY],
    load: async () => (await memory()).addMemory,
  },
  'memory search': { options: {}, words: [1, ANY], load: async () => (await memory()).searchMemories },
  'memory import': {
    options: { trust: { kind: 'flag' } },
    words: [1, 1],
    load: async () => (await import('./commands/memory-import.ts')).importMemories,
  },
  'memory check': { options: {}, words: [0, 0], load: async () => (await memory()).checkMemory },
  'config get': { options: { profile: { kind: 'flag' } }, words: [1, 1], load: async () => (await config()).getConfig },
  'config set': {
    options: { profile: { kind: 'flag' }, trust: { kind: 'flag' } },
    words: [2, 2],
    load: async () => (await config()).setConfig,
  },
  'config list': { options: { profile: { kind: 'flag' } }, words: [0, 0], load: async () => (await config()).listConfig },
  'mcp list': { options: TRUST, words: [0, 0], load: async () => (await mcp()).listServers },
  'mcp add': {
    options: { ...TRUST, url: { kind: 'text' }, transport: { kind: ['http', 'sse'] }, header: { kind: 'text' } },
    words: [1, ANY],
    load: async () => (await mcp()).addServer,
  },
  'mcp import': { options: TRUST, words: [1, 1], load: async () => (await mcp()).importServers },
  'mcp remove': { options: TRUST, words: [1, 1], load: async () => (await mcp()).removeServer },
  'mcp approve': { options: { ...TRUST, yes: { kind: 'flag', short: 'y' } }, words: [1, 1], load: async () => (await mcp()).approveServer },
  'mcp test': { options: TRUST, words: [1, 1], load: async () => (await mcp()).testServer },
  models: { options: {}, words: [0, 1], load: async () => (await import('./commands/models.ts')).models },
  doctor: {
    options: { verify: { kind: 'flag' }, rebuild: { kind: 'flag' }, perf: { kind: 'flag' } },
    words: [0, 0],
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  bench: { options: {}, words: [0, ANY], load: async () => (await import('./commands/bench.ts')).bench },
}

export interface FoundCommand {
  readonly name: string
  readonly entry: CommandEntry
  readonly rest: readonly string[]
}

/** The command is the first one or two words. @returns undefined when there is none of that name. */
export function findCommand(argv: readonly string[]): FoundCommand | undefined {
  const start = lengthOfLeadingOptions(argv)
  const words = argv.slice(start)
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const entry = Object.hasOwn(COMMAND_TABLE, name) && words.length >= length ? COMMAND_TABLE[name] : undefined
    if (entry !== undefined) return { name, entry, rest: [...argv.slice(0, start), ...words.slice(length)] }
  }
  return undefined
}

/** Options that every command takes may stand before it. */
function lengthOfLeadingOptions(argv: readonly string[]): number {
  let length = 0
  for (;;) {
    const argument = argv[length] ?? ''
    if (['--lang', '--workspace', '-w'].includes(argument)) length += 2
    else if (argument === '--json' || /^--(lang|workspace)=/.test(argument)) length += 1
    else return Math.min(length, argv.length)
  }
}
