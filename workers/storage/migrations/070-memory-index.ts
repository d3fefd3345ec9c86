import { indexMemoriesAnew } from '../queries/memories.ts'
import type { Migration } from './migration.ts'

/**
 * The index of memories made anew: before, a Latin word or a number beside Chinese without a blank was cut into pairs of
 * letters, traditional characters stayed apart from simplified ones, and the last character of a run could not be found alone.
 */
export const memoryIndex: Migration = { version: 70, name: 'memory-index', up: indexMemoriesAnew }
