import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'

/**
 * An aggregate that returns all rows as one JSON text `[[a, b], ...]`. Unordered, unless the input is
 * ordered on SQLite. Parsing it is cheaper than the driver's work for each value. Not suitable for numbers
 * with more digits than SQLite writes in JSON.
 */
export function jsonRows(kind: DialectKind, columns: readonly string[]): RawBuilder<string> {
  const list = sql.join(columns.map((column) => sql.ref(column)))
  return kind === 'sqlite'
    ? sql`json_group_array(json_array(${list}))`
    : sql`coalesce(json_agg(json_build_array(${list})), '[]')::text`
}
