import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessagePartsQuery, StoredMessage } from '@x/flow-engine/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { rowParts, type RowKey } from '../records/row-parts.ts'
import type { FlowDb } from './context.ts'
import { messageMapping } from './mappings.ts'

/** Rows that are looked at in one statement. */
const LOOKED_AT = 5000

interface Key extends RowKey {
  readonly timestamp: number
}

/**
 * The messages of a user in parts. Their keys are looked up first, in steps along the index over sessions,
 * since neither order has an index of its own.
 * @param condition all conditions of the query
 */
export async function* messageParts(
  db: FlowDb,
  query: MessagePartsQuery,
  condition: RawBuilder<unknown>,
): AsyncGenerator<readonly StoredMessage[]> {
  const compare =
    query.orderBy === 'timestamp'
      ? (a: Key, b: Key) => a.timestamp - b.timestamp || a.seq - b.seq
      : (a: Key, b: Key) => a.seq - b.seq
  const lists: Key[][] = []
  for await (const keys of keyPages(db, query, condition)) lists.push(keys.toSorted(compare))
  yield* rowParts(db, { table: 'flow_message', mapping: messageMapping }, merged(lists, compare))
}

interface LookedAt extends Key {
  readonly session_id: string
  readonly wanted: number
}

async function* keyPages(
  db: FlowDb,
  { userId, flowId, sessionId }: MessagePartsQuery,
  condition: RawBuilder<unknown>,
): AsyncGenerator<Key[]> {
  const lead = flowId === undefined ? sql`user_id = ${userId}` : sql`flow_id = ${flowId}`
  const look = async (place: RawBuilder<unknown>): Promise<readonly LookedAt[]> => {
    const { rows } = await sql<LookedAt>`select seq, timestamp, session_id,
      octet_length(text) + octet_length(files) + octet_length(properties)
        + octet_length(content_blocks) as size,
      case when ${condition} then 1 else 0 end as wanted
      from flow_message where ${lead} and ${place}
      order by session_id, seq limit ${LOOKED_AT}`.execute(db)
    await nextTurn()
    return rows
  }
  const only = sessionId === undefined ? undefined : encodeText(sessionId)
  /** The session whose rest is read; else those that `others` describes. */
  let session = only
  let others = sql`session_id >= ''`
  let seq = 0
  for (;;) {
    const isWithin = session !== undefined
    const rows = await look(isWithin ? sql`session_id = ${session} and seq > ${seq}` : others)
    yield rows.filter(({ wanted }) => wanted === 1)
    const last = rows.length === LOOKED_AT ? rows.at(-1) : undefined
    if (last !== undefined) {
      session = last.session_id
      seq = last.seq
    } else if (isWithin && only === undefined) {
      others = sql`session_id > ${session}`
      session = undefined
    } else return
  }
}

/** The items of sorted lists in one order, merged as they are taken. */
function* merged<T>(
  lists: readonly (readonly T[])[],
  compare: (one: T, other: T) => number,
): Generator<T, void, undefined> {
  if (lists.length < 2) {
    yield* lists[0] ?? []
    return
  }
  const half = lists.length >> 1
  const ones = merged(lists.slice(0, half), compare)
  const others = merged(lists.slice(half), compare)
  let one = ones.next()
  let other = others.next()
  while (one.done !== true || other.done !== true) {
    if (other.done === true || (one.done !== true && compare(one.value, other.value) <= 0)) {
      yield one.value as T
      one = ones.next()
    } else {
      yield other.value
      other = others.next()
    }
  }
}
