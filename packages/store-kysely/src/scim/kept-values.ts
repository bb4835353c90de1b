import type { OutboxRow } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { atomic } from '../engine/transaction.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import { createOutbox } from './outbox/outbox.ts'

/** Small values that all processes of a database share, by name. */
export interface KeptValues {
  /** null if there is none. */
  get(name: string): Promise<string | null>
  /** Keeps a value unless the name has one; returns the one that is kept. */
  keep(name: string, value: string): Promise<string>
  /**
   * Replaces a value, null: none. Returns whether this call has done so, which of several with the same `before`
   * only one has. `rows` are written to the outbox in the same transaction. Default: none.
   */
  exchange(
    name: string,
    before: string | null,
    after: string,
    rows?: readonly OutboxRow[],
  ): Promise<boolean>
}

/** Only removals of connections have a time. */
const UNTIMED = 0

export function createKeptValues(db: Kysely<ScimTables>): KeptValues {
  const get = async (name: string): Promise<string | null> => {
    const query = db.selectFrom('scim_kept').select('value').where('name', '=', name)
    return (await query.executeTakeFirst())?.value ?? null
  }
  const insert = async (name: string, value: string): Promise<boolean> => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('scim_kept')
      .values({ name, value, changed: UNTIMED })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirstOrThrow()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  }
  return {
    get,
    async keep(name, value) {
      await insert(name, value)
      return (await get(name)) ?? value
    },
    async exchange(name, before, after, rows = []) {
      if (rows.length > 0)
        return atomic(db, async (tx) => {
          const isReplaced = await createKeptValues(tx).exchange(name, before, after)
          if (isReplaced) await createOutbox(tx).append(rows)
          return isReplaced
        })
      if (before === null) return insert(name, after)
      const { numUpdatedRows } = await db
        .updateTable('scim_kept')
        .set({ value: after, changed: UNTIMED })
        .where('name', '=', name)
        .where('value', '=', before)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  }
}
