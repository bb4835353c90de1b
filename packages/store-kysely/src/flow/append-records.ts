import type { CompiledQuery } from 'kysely'
import { allStatements } from '../engine/sqlite/group.ts'
import { atomic } from '../engine/transaction.ts'
import type { Rows } from '../records/rows.ts'
import { groupOf, TRANSIENT, type FlowDb } from './context.ts'

/** A parameterised deletion. */
export type Trim = (db: FlowDb) => CompiledQuery

/** Maximum flows or users whose new records are counted; at the limit, counting starts again. */
const MAX_COUNTED = 1000

/**
 * Decides when to remove the records of an owner that are over a limit. A removal scans all kept records, so
 * it waits until another twentieth of the limit has been added. The first write removes at once, because
 * other processes may have written before.
 */
export function createTrimSchedule(): (owner: string, added: number, keep: number) => boolean {
  const counts = new Map<string, number>()
  return (owner, added, keep) => {
    const count = (counts.get(owner) ?? keep) + added
    const isDue = count * 20 >= keep
    if (isDue && counts.size >= MAX_COUNTED) counts.clear()
    counts.set(owner, isDue ? 0 : count)
    return isDue
  }
}

/** Counts records by owner. */
export function countsOf<Value, Owner>(
  records: readonly Value[],
  ownerOf: (record: Value) => Owner,
): Map<Owner, number> {
  const counts = new Map<Owner, number>()
  for (const record of records) {
    const owner = ownerOf(record)
    counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  return counts
}

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
