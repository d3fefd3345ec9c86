/** Every provider, in the order in which they are offered. Adding one is one line here and its file. */
import type { ProviderModule } from './provider-module.ts'

/** Loaded when first used: a run pays for one provider only. */
export const registry: Readonly<Record<string, () => Promise<{ readonly provider: ProviderModule }>>> = {
  deepseek: () => import('./deepseek.adapter.ts'),
  agnes: () => import('./agnes-ai.adapter.ts'),
  ollama: () => import('./ollama.adapter.ts'),
  openai: () => import('./openai.adapter.ts'),
  anthropic: () => import('./anthropic.adapter.ts'),
  'openai-compatible': () => import('./openai-compatible.adapter.ts'),
  demo: () => import('./demo.adapter.ts'),
}
