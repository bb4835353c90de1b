import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredMessage } from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import {
  bytesOf,
  keyGroups,
  placeList,
  removeInSteps,
  rowParts,
  ROWS_PER_SCAN,
  type RowKey,
} from '../records/row-parts.ts'
import type { FlowDb } from './context.ts'
import { messageColumns, messageSource } from './message-parts.ts'

/**
 * Renames a session in steps, each a write of its own, so that other writers get their turns.
 * @param where selects its messages
 */
export async function renameInSteps(
  db: FlowDb,
  where: RawBuilder<unknown>,
  to: string,
): Promise<AsyncIterable<readonly StoredMessage[]>> {
  const renamed: RowKey[] = []
  let seq = 0
  for (;;) {
    const { rows } = await sql<RowKey>`select seq, ${bytesOf(messageColumns)} as size
      from flow_message where ${where} and seq > ${seq}
      order by seq limit ${ROWS_PER_SCAN}`.execute(db)
    for (const keys of keyGroups(rows)) {
      const { rows: changed } = await sql<Pick<RowKey, 'seq'>>`
        update flow_message set session_id = ${encodeText(to)}
        where ${where} and seq in ${placeList(db, keys)} returning seq`.execute(db)
      const seqs = new Set(changed.map((row) => row.seq))
      for (const key of keys) if (seqs.has(key.seq)) renamed.push(key)
      await nextTurn()
    }
    seq = rows.at(-1)?.seq ?? seq
    if (rows.length < ROWS_PER_SCAN) break
  }
  return rowParts(db, messageSource, renamed)
}

/** Removes messages in steps: outside a transaction each is a write of its own. */
export function removeMessages(db: FlowDb, where: RawBuilder<unknown>): Promise<void> {
  return removeInSteps(db, { table: 'flow_message', large: messageColumns, where })
}
