import { indexMemoriesAnew } from '../queries/memories.ts'
import type { Migration } from './migration.ts'

/**
 * The index of memories made anew: before, a Latin word or a number beside Chinese without a blank was cut into pairs of
 * letters, traditional characters stayed apart from simplified ones, and the last character of a run could not be found alone.
 * And the words by which items that are gone were brought up: before, they stayed, and what is made from the logs has none.
 */
export const memoryIndex: Migration = {
  version: 70,
  name: 'memory-index',
  up: (database) => {
    indexMemoriesAnew(database)
    database.exec("UPDATE memory_recalls SET words = '[]' WHERE memory_id NOT IN (SELECT id FROM memories)")
  },
}
