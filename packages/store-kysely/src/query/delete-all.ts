import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../engine/engine.ts'

/**
 * Runs deletions from different tables. PostgreSQL runs them as one statement, which saves a round trip for
 * each; all of them see the rows as they were before.
 */
export async function deleteAll<Tables>(
  tx: Kysely<Tables>,
  deletions: readonly RawBuilder<unknown>[],
): Promise<void> {
  if (engineOf(tx).kind !== 'postgres') {
    for (const deletion of deletions) await deletion.execute(tx)
    return
  }
  const parts = deletions.map((deletion, at) => sql`${sql.ref(`part${at}`)} as (${deletion})`)
  await sql`with ${sql.join(parts)} select 1`.execute(tx)
}
