import type { Database, Statement } from 'better-sqlite3'

const byDatabase = new WeakMap<Database, Map<string, unknown>>()

/** `database.prepare`, once per connection and text. For statements that run many times. */
export function statement<Parameters extends unknown[], Row = unknown>(database: Database, sql: string): Statement<Parameters, Row> {
  let statements = byDatabase.get(database)
  if (statements === undefined) {
    statements = new Map()
    byDatabase.set(database, statements)
  }
  let prepared = statements.get(sql) as Statement<Parameters, Row> | undefined
  if (prepared === undefined) {
    prepared = database.prepare<Parameters, Row>(sql) as Statement<Parameters, Row>
    statements.set(sql, prepared)
  }
  return prepared
}
