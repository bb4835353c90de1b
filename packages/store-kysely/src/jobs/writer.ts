import { sql } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import type { HotQuery, HotResult } from '../query/compiled-query.ts'
import { oneStatement, sqliteGroup } from '../engine/sqlite/group.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

/** Options for writing a statement. */
export interface WriteOptions {
  /** False: a power failure may lose it. True by default. */
  readonly durable?: boolean
  /** One at a time over all processes, where a statement decides by what others write. */
  readonly alone?: boolean
}

/** Runs single statements: on SQLite many callers share a transaction, and so one sync of the disk. */
export interface JobWriter {
  write<Values, Row>(
    query: HotQuery<FlowTables, Values, Row>,
    values: Values,
    options?: WriteOptions,
  ): Promise<Omit<HotResult<Row>, 'insertId'>>
}

export function createJobWriter(db: FlowDb): JobWriter {
  const engine = engineOf(db)
  if (engine.kind === 'sqlite') {
    const group = sqliteGroup(engine.sqlite)
    return {
      async write<Values, Row>(
        query: HotQuery<FlowTables, Values, Row>,
        values: Values,
        { durable = true }: WriteOptions = {},
      ) {
        const { rows, numAffectedRows = 0n } = await group.write(
          oneStatement<Row>(query.bind(db, values), { durable, invalidatesNothing: true }),
        )
        return { rows, changed: Number(numAffectedRows) }
      },
    }
  }
  return {
    write: (query, values, { alone = false } = {}) =>
      alone
        ? db.transaction().execute(async (tx) => {
            await sql`select pg_advisory_xact_lock(${sql.lit(QUEUE_LOCK)})`.execute(tx)
            return query.run(tx, values)
          })
        : query.run(db, values),
  }
}

/** Any number that other programs are unlikely to lock. */
const QUEUE_LOCK = 7_020_319_055
