import type { Kysely } from 'kysely'
import type { Mapping } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import { tableRows, type Rows } from '../records/rows.ts'
import { sqliteGroup, type SqliteGroup } from '../engine/sqlite/group.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

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

/**
 * The group that writes what runs leave together with that of other runs: on SQLite outside of a
 * transaction, because others must not wait for its writes.
 */
export function groupOf(db: FlowDb): SqliteGroup | undefined {
  if (db.isTransaction) return undefined
  const engine = engineOf(db)
  return engine.kind === 'sqlite' ? sqliteGroup(engine.sqlite) : undefined
}

/** The write mode there: a power failure may lose it, and none of it is kept in memory. */
export const PASSING = { durable: false, invalidatesNothing: true } as const
