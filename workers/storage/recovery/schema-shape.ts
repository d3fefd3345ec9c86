import DatabaseConstructor, { type Database } from 'better-sqlite3'
import { migrate } from '../migrate.ts'
import { agentMigrations } from '../migrations/agent-migrations.ts'

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/**
 * What of the schema of `version` is not as the migrations make it; empty when all is there. Columns are compared by
 * name, since the text of a changed table is SQLite's own affair; triggers and virtual tables by their text.
 */
export function schemaFaults(database: Database, version: number): string[] {
  const shape = new Map(schemaShape(database))
  return expectedShape(version).flatMap(([name, expected]) => (shape.get(name) === expected ? [] : [name]))
}

function schemaShape(database: Database): [string, string][] {
  const rows = database
    .prepare<[], SchemaRow>("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
  return rows.map((row) => [row.name, shapeOf(database, row)])
}

function shapeOf(database: Database, row: SchemaRow): string {
  if (row.type === 'index') return 'index'
  if (row.type !== 'table' || /^\s*CREATE\s+VIRTUAL/i.test(row.sql ?? '')) return row.sql ?? ''
  const columns = database
    .prepare<[string], { name: string; type: string; pk: number }>('SELECT name, type, pk FROM pragma_table_info(?)')
    .all(row.name)
  return columns.map((column) => `${column.name} ${column.type} ${column.pk}`).join(', ')
}

const expectedShapes = new Map<number, [string, string][]>()

function expectedShape(version: number): [string, string][] {
  const known = expectedShapes.get(version)
  if (known !== undefined) return known
  const reference = new DatabaseConstructor(':memory:')
  try {
    migrate(
      reference,
      agentMigrations.filter((migration) => migration.version <= version),
      () => undefined,
    )
    const shape = schemaShape(reference)
    expectedShapes.set(version, shape)
    return shape
  } finally {
    reference.close()
  }
}
