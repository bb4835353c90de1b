import type { CompiledQuery } from 'kysely'
import { allStatements } from '../engine/sqlite/group.ts'
import { atomic } from '../engine/transaction.ts'
import type { Rows } from '../records/rows.ts'
import { groupOf, TRANSIENT, type FlowDb } from './context.ts'

/** A parameterised deletion. */
export type Trim = (db: FlowDb) => CompiledQuery

interface Appended<Value> {
  /** The rows of the table, and the same within a transaction. */
  readonly rows: Rows<Value>
  readonly rowsIn: (tx: FlowDb) => Rows<Value>
  readonly records: readonly Value[]
  readonly trims: readonly Trim[]
}

/** Inserts records and removes those over the limits, all or nothing. */
export async function appendRecords<Value>(
  db: FlowDb,
  { rows, rowsIn, records, trims }: Appended<Value>,
): Promise<void> {
  const group = groupOf(db)
  if (group === undefined) {
    await atomic(db, async (tx) => {
      await rowsIn(tx).insert(records)
      for (const trim of trims) await tx.executeQuery(trim(tx))
    })
    return
  }
  const statements = [...rows.insertions(records), ...trims.map((trim) => trim(db))]
  const writing = { ...TRANSIENT, rows: records.length + trims.length }
  await group.write(allStatements(statements, writing))
}
