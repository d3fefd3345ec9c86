/** Between the rows about the page and the program that measures it. */
import type { FakeRule } from '#tests/helpers/fake-provider.ts'

export interface TokenPageOptions {
  readonly sessions: number
  readonly rate: number
  readonly seconds: number
  /** Sessions that run tools beside the others; their markers are their first prompts. */
  readonly disturbing: readonly FakeRule[]
  /** Sizes of what those tools read. */
  readonly files: { readonly csvMiB: number; readonly textMiB: number }
}

export interface TokenPageResult {
  /** Milliseconds from token to page, one for each token of the shown session after the first second. */
  readonly delays: number[]
  /** Half the round trip of the best comparison of the two clocks. */
  readonly clockErrorMs: number
}
