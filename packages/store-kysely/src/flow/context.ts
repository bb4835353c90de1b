import type { Kysely } from 'kysely'
import type { Mapping } from '../columns.ts'
import { tableRows, type Rows } from '../rows.ts'
import type { FlowTables } from '../tables/flow.ts'

/** The database of the flow store, or a running transaction of it. */
export type FlowDb = Kysely<FlowTables>

/** The records of a table of the flow store. */
export function rowsOf<Value, Row>(
  db: FlowDb,
  table: keyof FlowTables,
  mapping: Mapping<Value, Row>,
): Rows<Value> {
  return tableRows(db, table, mapping)
}
