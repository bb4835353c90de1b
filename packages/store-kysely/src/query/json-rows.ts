import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'

/**
 * An aggregate: the values of all rows as one JSON text `[[a, b], ...]`, in no set order unless they
 * come in one on SQLite. Parsing it costs less than the driver's work for each value. Not for numbers
 * with more digits than SQLite puts in JSON.
 */
export function jsonRows(kind: DialectKind, columns: readonly string[]): RawBuilder<string> {
  const list = sql.join(columns.map((column) => sql.ref(column)))
  return kind === 'sqlite'
    ? sql`json_group_array(json_array(${list}))`
    : sql`coalesce(json_agg(json_build_array(${list})), '[]')::text`
}
