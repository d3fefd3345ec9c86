/** What a generation of Claude models accepts. Read from the name, so that a model released tomorrow works today. */

export interface ClaudeTraits {
  /**
   * `budget`: `thinking:{type:"enabled",budget_tokens}`. `adaptive`: may be switched on and off.
   * `always`: cannot be switched off or budgeted, and refuses a forced tool choice.
   */
  readonly thinking: 'none' | 'budget' | 'adaptive' | 'always'
  /** Takes `temperature` and `top_p`; newer ones answer 400. */
  readonly sampling: boolean
  /** Takes `output_config.effort`. */
  readonly effort: boolean
}

/** `claude-opus-4-6`, `claude-sonnet-4-20250514`, and the older order `claude-3-7-sonnet-20250219`. */
const NEW_ORDER = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:-(\d{1,2})(?!\d))?/
const OLD_ORDER = /claude-(\d)(?:-(\d{1,2}))?-(opus|sonnet|haiku)/

export function claudeTraits(model: string): ClaudeTraits {
  const { family, version } = read(model)
  const newest = family === 'fable' || family === 'mythos'
  return {
    thinking: newest || (family === 'opus' && version >= 5.5) ? 'always' : version >= 4.6 ? 'adaptive' : version >= 3.7 ? 'budget' : 'none',
    sampling: !(
      newest ||
      (family === 'opus' && version >= 4.7) ||
      (family === 'sonnet' && version >= 5) ||
      (family === 'haiku' && version >= 5.5)
    ),
    effort: newest || version >= 4.6 || (family === 'opus' && version >= 4.5),
  }
}

/** A name we cannot read counts as a current model without its exceptions. */
function read(model: string): { family: string; version: number } {
  const current = NEW_ORDER.exec(model)
  if (current !== null) return { family: current[1] ?? '', version: number(current[2], current[3]) }
  const old = OLD_ORDER.exec(model)
  if (old !== null) return { family: old[3] ?? '', version: number(old[1], old[2]) }
  return { family: 'unknown', version: 5 }
}

function number(major: string | undefined, minor: string | undefined): number {
  return Number(major ?? 0) + Number(minor ?? 0) / 10
}
