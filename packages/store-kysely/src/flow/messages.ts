import type { MessageOrder, StoredMessageQuery, MessageStore } from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { encodeText } from '../records/columns.ts'
import { idList } from '../query/id-list.ts'
import { oneStatement } from '../engine/sqlite/group.ts'
import { atomic } from '../engine/transaction.ts'
import { groupOf, TRANSIENT, rowsOf, type FlowDb } from './context.ts'
import { messageMapping } from './mappings.ts'
import { messageParts, sessionParts } from './message-parts.ts'
import { removeMessages, renameInSteps } from './message-sessions.ts'

/** Messages in SQL. */
export function createMessages(db: FlowDb): MessageStore {
  const rows = rowsOf(db, 'flow_message', messageMapping)
  const group = groupOf(db)
  return {
    get: (id) => rows.first({ id }),

    list(query) {
      const limit = query.limit === undefined ? sql`` : sql`limit ${query.limit}`
      return rows.select(sql`where ${conditionOf(query)} order by ${orderOf(query)} ${limit}`)
    },

    parts: (query) => messageParts(db, query, conditionOf(query)),

    async sessions(userId, flowId) {
      const where = conditionOf({ userId, ...(flowId === undefined ? {} : { flowId }) })
      const { rows: found } = await sql<{ session_id: string }>`select session_id from flow_message
        where ${where} group by session_id order by min(seq)`.execute(db)
      return found.map((row) => messageMapping.decode('sessionId', row.session_id))
    },

    sessionParts(userId, flowId) {
      const query = { userId, ...(flowId === undefined ? {} : { flowId }) }
      return sessionParts(db, query, conditionOf(query))
    },

    insert: (record) =>
      group === undefined
        ? rows.insert([record])
        : group.write(oneStatement(rows.insertion(record), TRANSIENT)).then(() => undefined),
    update: (id, patch) => rows.update({ id }, patch),

    renameSession: (userId, from, to) =>
      atomic(db, async (tx) => {
        const messages = rowsOf(tx, 'flow_message', messageMapping)
        const where = conditionOf({ userId, sessionId: from })
        const before = await messages.select(sql`where ${where} order by seq`)
        await sql`update flow_message set session_id = ${encodeText(to)} where ${where}`.execute(tx)
        return before.map((message) => ({ ...message, sessionId: to }))
      }),

    remove: (ids, userId) =>
      atomic(db, async (tx) => {
        const owner = userId === undefined ? sql`1 = 1` : sql`${rows.where({ userId })}`
        for (const part of chunks(ids)) {
          await sql`delete from flow_message where ${owner}
            and id in (select ids.id from ${idList(tx, part)})`.execute(tx)
        }
      }),

    renameSessionParts: (userId, from, to) =>
      renameInSteps(db, conditionOf({ userId, sessionId: from }), to),

    removeSession: (userId, sessionId) => removeMessages(db, conditionOf({ userId, sessionId })),

    async trimPublic(before) {
      await sql`delete from flow_message
        where user_id is null and timestamp < ${before.getTime()}`.execute(db)
    },
  }
}

function conditionOf(query: StoredMessageQuery): RawBuilder<unknown> {
  const { userId, errors = true } = query
  const conditions: RawBuilder<unknown>[] = []
  if (userId === null) conditions.push(sql`user_id is null`)
  else if (userId !== undefined) conditions.push(sql`user_id = ${userId} and flow_id is not null`)
  const texts = [
    ['flow_id', query.flowId],
    ['session_id', query.sessionId],
    ['context_id', query.contextId],
    ['sender', query.sender],
    ['sender_name', query.senderName],
  ] as const
  for (const [column, value] of texts) {
    if (value !== undefined) conditions.push(sql`${sql.ref(column)} = ${encodeText(value)}`)
  }
  if (!errors) conditions.push(sql`error = 0`)
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}

const COLUMNS: Readonly<Record<MessageOrder, string>> = {
  timestamp: 'timestamp',
  sender: 'sender',
  senderName: 'sender_name',
  sessionId: 'session_id',
  contextId: 'context_id',
  text: 'text',
  error: 'error',
  edit: 'edit',
  category: 'category',
  id: 'id',
  flowId: 'flow_id',
}

/** Null first; descending order is the exact reverse. */
function orderOf({ orderBy, descending = false }: StoredMessageQuery): RawBuilder<unknown> {
  const direction = descending ? sql`desc` : sql`asc`
  if (orderBy === undefined) return sql`seq ${direction}`
  const column = sql.ref(COLUMNS[orderBy])
  return sql`(${column} is not null) ${direction}, ${column} ${direction}, seq ${direction}`
}
