import type { Kysely } from 'kysely'
import type { Mapping } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import { tableRows, type Rows } from '../records/rows.ts'
import { sqliteGroup, type SqliteGroup } from '../engine/sqlite/group.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

/** The flow store's database, or a running transaction on it. */
export type FlowDb = Kysely<FlowTables>

/** The records of a flow store table. */
export function rowsOf<Value, Row>(
  db: FlowDb,
  table: keyof FlowTables,
  mapping: Mapping<Value, Row>,
): Rows<Value> {
  return tableRows(db, table, mapping)
}

/**
 * The group that batches records of concurrent runs: on SQLite outside a transaction, so that others need
 * not wait for these writes.
 */
export function groupOf(db: FlowDb): SqliteGroup | undefined {
  if (db.isTransaction) return undefined
  const engine = engineOf(db)
  return engine.kind === 'sqlite' ? sqliteGroup(engine.sqlite) : undefined
}

/** Write mode for these records: they may be lost in a power failure, and none of them is cached. */
export const TRANSIENT = { durable: false, invalidatesNothing: true } as const
