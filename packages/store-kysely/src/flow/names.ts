import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { afterPrefix } from '../query/prefix.ts'

/** A condition for strings with a prefix, as a range that can use an index. */
export function beginsWith(column: string, prefix: string): RawBuilder<unknown> {
  const ref = sql.ref(column)
  const start = encodeText(prefix)
  if (start === '') return sql`${ref} is not null`
  const end = afterPrefix(start)
  return end === null ? sql`${ref} >= ${start}` : sql`(${ref} >= ${start} and ${ref} < ${end})`
}
