import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import type { PreparedQuery, PreparedQueryResult } from '../query/prepared-query.ts'
import { oneStatement, sqliteGroup } from '../engine/sqlite/group.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

/** Options for writing a statement. */
export interface WriteOptions {
  /** False: the write may be lost in a power failure. Default true. */
  readonly durable?: boolean
}

/** Runs single statements; on SQLite callers share a transaction and thus one disk sync. */
export interface JobWriter {
  write<Values, Row>(
    query: PreparedQuery<FlowTables, Values, Row>,
    values: Values,
    options?: WriteOptions,
  ): Promise<Omit<PreparedQueryResult<Row>, 'insertId'>>
}

export function createJobWriter(db: FlowDb): JobWriter {
  const engine = engineOf(db)
  if (engine.kind === 'sqlite') {
    const group = sqliteGroup(engine.sqlite)
    return {
      async write<Values, Row>(
        query: PreparedQuery<FlowTables, Values, Row>,
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
  return { write: (query, values) => query.run(db, values) }
}
