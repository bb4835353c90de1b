import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessagePartsQuery, StoredMessage } from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { bytesOf, rowParts, ROWS_PER_SCAN, type RowKey } from '../records/row-parts.ts'
import type { FlowDb } from './context.ts'
import { messageMapping } from './mappings.ts'

export const messageSource = { table: 'flow_message', mapping: messageMapping }
/** The large columns. */
export const messageColumns = ['text', 'files', 'properties', 'content_blocks']

interface Key extends RowKey {
  readonly timestamp: number
}

/**
 * Yields the messages of a user in parts. Their keys are read first, in steps along the index on sessions,
 * because neither order has its own index.
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
  yield* rowParts(db, messageSource, merged(lists, compare))
}

interface ScannedRow extends Key {
  readonly session_id: string
  readonly matches: number
}

async function* keyPages(
  db: FlowDb,
  query: MessagePartsQuery,
  condition: RawBuilder<unknown>,
): AsyncGenerator<Key[]> {
  const lead = leadOf(query)
  const pages = walkSessions(query.sessionId, async (place) => {
    const { rows } =
      await sql<ScannedRow>`select seq, timestamp, session_id, ${bytesOf(messageColumns)} as size,
      case when ${condition} then 1 else 0 end as matches
      from flow_message where ${lead} and ${place}
      order by session_id, seq limit ${ROWS_PER_SCAN}`.execute(db)
    return { rows, last: rows.length === ROWS_PER_SCAN ? rows.at(-1) : undefined }
  })
  for await (const rows of pages) yield rows.filter(({ matches }) => matches === 1)
}

interface SessionRow {
  readonly session_id: string
  /** The first matching message. */
  readonly first: number | null
  readonly size: number
  readonly last: number
  readonly count: number
}

/**
 * The sessions of a user in the order of their first messages, in parts. Their keys are read like those of
 * messages.
 * @param condition all conditions of the query
 */
export async function* sessionParts(
  db: FlowDb,
  query: Pick<MessagePartsQuery, 'userId' | 'flowId'>,
  condition: RawBuilder<unknown>,
): AsyncGenerator<readonly string[]> {
  const lead = leadOf(query)
  const pages = walkSessions(undefined, async (place) => {
    const { rows } = await sql<SessionRow>`select session_id, min(matching) as first,
      octet_length(session_id) as size, max(seq) as last, count(*) as count
      from (select session_id, seq, case when ${condition} then seq end as matching
        from flow_message where ${lead} and ${place}
        order by session_id, seq limit ${ROWS_PER_SCAN}) as scanned
      group by session_id order by session_id`.execute(db)
    const end = rows.at(-1)
    const isFull = rows.reduce((sum, { count }) => sum + count, 0) === ROWS_PER_SCAN
    const last = isFull && end !== undefined ? { ...end, seq: end.last } : undefined
    return { rows, last }
  })
  const bySeq = (a: RowKey, b: RowKey): number => a.seq - b.seq
  const lists: RowKey[][] = []
  let before: string | undefined
  for await (const rows of pages) {
    const keys: RowKey[] = []
    for (const { session_id: session, first, size } of rows) {
      if (first === null || session === before) continue
      before = session
      keys.push({ seq: first, size })
    }
    lists.push(keys.toSorted(bySeq))
  }
  const sessions = {
    columns: ['session_id'],
    fromRow: (row: { session_id: string }) => messageMapping.decode('sessionId', row.session_id),
  }
  const source = { table: 'flow_message', mapping: sessions }
  yield* rowParts(db, source, merged(lists, bySeq))
}

function leadOf({ userId, flowId }: Pick<MessagePartsQuery, 'userId' | 'flowId'>) {
  return flowId === undefined ? sql`user_id = ${userId}` : sql`flow_id = ${flowId}`
}

interface Scanned<Row> {
  readonly rows: readonly Row[]
  /** The last of them; undefined if no rows follow. */
  readonly last: { readonly session_id: string; readonly seq: number } | undefined
}

/** Walks along the index over sessions in steps, through one session or through all. */
async function* walkSessions<Row>(
  sessionId: string | undefined,
  scan: (place: RawBuilder<unknown>) => Promise<Scanned<Row>>,
): AsyncGenerator<readonly Row[]> {
  const only = sessionId === undefined ? undefined : encodeText(sessionId)
  /** The session being read; undefined: the sessions described by `others`. */
  let session = only
  let others = sql`session_id >= ''`
  let seq = 0
  for (;;) {
    const isWithin = session !== undefined
    const place = isWithin ? sql`session_id = ${session} and seq > ${seq}` : others
    const { rows, last } = await scan(place)
    await nextTurn()
    yield rows
    if (last !== undefined) {
      session = last.session_id
      seq = last.seq
    } else if (isWithin && only === undefined) {
      others = sql`session_id > ${session}`
      session = undefined
    } else return
  }
}

/** Lazily merges sorted lists. */
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
