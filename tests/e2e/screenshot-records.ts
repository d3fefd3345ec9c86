/** What the pictures show of usage, permissions, files and prices. */
import type { Grant } from '#contracts/session/grant-commands.ts'
import type { UsageEntry } from '#contracts/storage/usage.ts'
import type { ScriptedHost } from '../helpers/scripted-host.ts'

const AGENTS = `# AGENTS.md

## Rules
- Amounts are in cents, never in floating point numbers.
- Run \`npm test\` after each change.

## 不要做
- 不要改动 \`fixtures/\` 中的数据。
`

export function answerRecords(host: ScriptedHost, workspace: string, now: Date): void {
  host.answer('usage.read', () => ({ entries: usageEntries(workspace, now) }))
  host.answer('grants.list', () => ({ grants: grants(workspace, now) }))
  host.answer('workspaceFiles.changes', () => ({ files: [] }))
  host.answer('workspaceFiles.read', () => ({ content: AGENTS, hash: 'a'.repeat(64) }))
  host.answer('models.overrides', () => ({ overrides: { 'deepseek/deepseek-v4-pro': { contextWindow: 131_072 } } }))
}

const day = (now: Date, back: number): string => new Date(now.getTime() - back * 86_400_000).toISOString().slice(0, 10)

function usageEntries(workspace: string, now: Date): UsageEntry[] {
  const entry = (back: number, sessionId: string, title: string, model: string, millions: number, priced: boolean): UsageEntry => ({
    workspace,
    day: day(now, back),
    sessionId,
    title,
    provider: priced ? 'deepseek' : 'openai-compatible',
    model,
    requests: Math.round(millions * 40) + 1,
    inputTokens: Math.round(millions * 1_000_000),
    cacheHitTokens: Math.round(millions * 910_000),
    cacheWriteTokens: 0,
    outputTokens: Math.round(millions * 41_000),
    reasoningTokens: Math.round(millions * 18_000),
    ...(priced
      ? {
          cost: {
            currency: 'USD',
            cacheHit: millions * 0.052,
            cacheMiss: millions * 0.049,
            cacheWrite: 0,
            output: millions * 0.083,
            total: millions * 0.184,
          },
        }
      : {}),
  })
  return [
    entry(0, 's_spike', 'Find the August refund spike', 'deepseek-v4-pro', 4.1, true),
    entry(0, 's_tests', 'Fill in reconciliation tests', 'deepseek-v4-pro', 2.9, true),
    entry(0, 's_local', 'Classify support tickets', 'house-model', 1.2, false),
    entry(1, 's_sales', 'September sales by channel', 'deepseek-v4-pro', 1.9, true),
    entry(3, 's_guide', 'Rewrite the settlement guide', 'deepseek-v4-flash', 0.6, true),
  ]
}

function grants(workspace: string, now: Date): Grant[] {
  const at = (back: number): string => new Date(now.getTime() - back * 86_400_000).toISOString()
  return [
    { id: 2, workspace, tool: 'run_command', prefix: 'npm test', sandbox: 'auto', grantedAt: at(2), expiresAt: at(-88) },
    {
      id: 1,
      workspace,
      tool: 'run_command',
      prefix: 'npm run lint -- --max-warnings 0',
      sandbox: 'off',
      grantedAt: at(20),
      expiresAt: at(-70),
    },
  ]
}
