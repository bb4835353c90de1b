import type { RawBuilder } from 'kysely'
import { hotQuery, type HotQuery, type Placeholders } from '../query/compiled-query.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

/** A frequent query on the tables of the flow store, written in SQL. */
export function hotSql<Values extends object, Row>(
  build: (value: Placeholders<Values>) => RawBuilder<Row>,
): HotQuery<FlowTables, Values, Row> {
  return hotQuery<FlowTables, Values, Row>((db, value) => ({
    compile: () => build(value).compile(db),
  }))
}
