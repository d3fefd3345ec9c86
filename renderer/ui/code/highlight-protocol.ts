/** Between the page and the worker that colours code. Plain data, made by ourselves on both sides. */

/** Looks of a run of characters; the style sheet has one class each. */
export const CODE_LOOKS = ['plain', 'comment', 'keyword', 'string', 'number', 'function'] as const
export type CodeLook = (typeof CODE_LOOKS)[number]

export interface CodeRun {
  readonly text: string
  readonly look: CodeLook
}
export type CodeLine = readonly CodeRun[]

export interface HighlightRequest {
  readonly id: number
  readonly code: string
  readonly language: string
}
export interface HighlightAnswer {
  readonly id: number
  /** Absent: a language nobody knows, or code that cannot be coloured. */
  readonly lines?: readonly CodeLine[]
}
