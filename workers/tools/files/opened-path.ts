/** A path that was followed name by name and is held, so that what was checked is what is used. */
import type { Stats } from 'node:fs'

export type PathKind = 'file' | 'folder' | 'missing' | 'special'

export interface OpenedPath {
  /** Absolute, free of links. Where the object is, or would be made. */
  readonly realPath: string
  readonly inside: boolean
  /** Names below the workspace; empty for the workspace itself and for what is outside. */
  readonly segments: readonly string[]
  readonly kind: PathKind
  /** Absent when missing. */
  readonly stats: Stats | undefined
  /** Reaches the held object without following any link again. Only for what exists. */
  readonly accessPath: string
  /** Reaches the folder the last existing name is in, and the names below it: one for an existing object, more when folders are missing too. */
  readonly parentAccessPath: string
  readonly namesBelowParent: readonly string[]
  close(): Promise<void>
}

/** Following links left the folder the walk was bound to. */
export class LeftRoot extends Error {
  /** The absolute path where the walk would have gone on. */
  readonly target: string

  constructor(target: string) {
    super(`leads outside: ${target}`)
    this.name = 'LeftRoot'
    this.target = target
  }
}
