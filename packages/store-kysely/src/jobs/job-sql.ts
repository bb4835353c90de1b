import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'
import { preparedSql } from '../flow/prepared-sql.ts'
import type { Placeholders, PreparedQuery } from '../query/prepared-query.ts'
import type { FlowTables } from '../schema/tables/flow.ts'
import { CLAIMED_COLUMNS } from './mapping.ts'

export const claimedColumns = sql.join(CLAIMED_COLUMNS.map((column) => sql.ref(column)))
/** PostgreSQL types an untyped parameter of a select as text. */
export const text = (value: unknown): RawBuilder<unknown> => sql`cast(${value} as text)`
export const int = (value: unknown): RawBuilder<unknown> => sql`cast(${value} as bigint)`

export const skipLocked = { sqlite: sql``, postgres: sql`for update skip locked` }

/** One statement for each dialect. */
type Dialects<Values, Row> = Readonly<Record<DialectKind, PreparedQuery<FlowTables, Values, Row>>>

export const inDialects = <Values extends object, Row>(
  build: (value: Placeholders<Values>, dialect: DialectKind) => RawBuilder<Row>,
): Dialects<Values, Row> => ({
  sqlite: preparedSql<Values, Row>((value) => build(value, 'sqlite')),
  postgres: preparedSql<Values, Row>((value) => build(value, 'postgres')),
})

/**
 * `position` orders the waiting jobs of a user: the lower part counts up, so that a job goes behind all others
 * of its priority; the upper part is the priority. Suspects precede all.
 */
export const STEP = sql.lit(2 ** 44)
const SUSPECT = sql.lit(100)
export const COUNT = sql.lit(2 ** 44 - 1)
export const nextCount = {
  sqlite: sql`(coalesce((select seq from sqlite_sequence where name = 'flow_job'), 0) + 1)`,
  postgres: sql`nextval(pg_get_serial_sequence('flow_job', 'seq'))`,
}

/** The position of a job that waits again. */
export const lastPosition = (dialect: DialectKind): RawBuilder<unknown> =>
  sql`${nextCount[dialect]} - case when crashes > 0 then ${SUSPECT} else priority end * ${STEP}`

/** Behind suspects and before everything else. */
export const firstPosition = (
  dialect: DialectKind,
  isCharged: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`${nextCount[dialect]} - case when ${isCharged} then ${SUSPECT} else ${SUSPECT} - 1 end * ${STEP}`
