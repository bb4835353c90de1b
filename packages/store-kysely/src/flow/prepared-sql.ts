import type { RawBuilder } from 'kysely'
import { preparedQuery, type PreparedQuery, type Placeholders } from '../query/prepared-query.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

/** A frequent query on the tables of the flow store, written in SQL. */
export function preparedSql<Values extends object, Row>(
  build: (value: Placeholders<Values>) => RawBuilder<Row>,
): PreparedQuery<FlowTables, Values, Row> {
  return preparedQuery<FlowTables, Values, Row>((db, value) => ({
    compile: () => build(value).compile(db),
  }))
}
