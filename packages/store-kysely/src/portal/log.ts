import type {
  ConnectionMetadata,
  LogBatch,
  LogQuery,
  LogRecord,
  Numbered,
  PortalStore,
  ReceivedRecord,
} from '@x/directory-portal'
import { sql, type Kysely, type Selectable } from 'kysely'
import { atomic } from '../engine/transaction.ts'
import { date, json, mapping, nullable, number, plain, text } from '../records/columns.ts'
import type { PortalLogRow, PortalReceivedRow, PortalTables } from '../schema/tables/portal.ts'

type Db = Kysely<PortalTables>

/** Received writes kept of a connection. */
const RECEIVED = 20
/** Rows of one statement; SQLite limits the parameters. */
const ROWS = 100

const logs = mapping<Numbered<LogRecord>, Selectable<PortalLogRow>>({
  seq: number,
  tenant: text,
  connectionId: text,
  at: date,
  requestId: text,
  outcome: plain<LogRecord['outcome']>(),
  op: plain(),
  search: text,
  entry: json(),
})

const receipts = mapping<ReceivedRecord, Omit<PortalReceivedRow, 'seq'>>({
  tenant: text,
  connectionId: text,
  requestId: text,
  at: date,
  userId: nullable(text),
  userName: nullable(text),
  op: plain(),
  body: json(),
  ignored: json(),
})

type FirstUser = NonNullable<ConnectionMetadata['firstUser']>

const firstUser = {
  encode: (user: FirstUser): string => JSON.stringify({ ...user, at: user.at.getTime() }),
  decode(column: string): FirstUser {
    const stored = JSON.parse(column) as Omit<FirstUser, 'at'> & { readonly at: number }
    return { ...stored, at: new Date(stored.at) }
  },
}

export function logPart(db: Db): PortalStore['log'] {
  return {
    append: (batch) => atomic(db, (tx) => append(tx, batch)),
    list: (tenant, connectionId, query) => list(db, { tenant, connectionId }, query),
    async received(tenant, connectionId) {
      const rows = await db
        .selectFrom('portal_received')
        .selectAll()
        .where('tenant', '=', text.encode(tenant))
        .where('connection_id', '=', text.encode(connectionId))
        .orderBy('seq', 'desc')
        .limit(RECEIVED)
        .execute()
      return rows.map((row) => receipts.fromRow(row))
    },
    async facts(tenant, connectionId) {
      const row = await db
        .selectFrom('portal_facts')
        .selectAll()
        .where('tenant', '=', text.encode(tenant))
        .where('connection_id', '=', text.encode(connectionId))
        .executeTakeFirst()
      return {
        cursor: row?.cursor ?? 0,
        requests: row?.requests ?? 0,
        lastRequestAt: nullable(date).decode(row?.last_request_at ?? null),
        firstUser: nullable(firstUser).decode(row?.first_user ?? null),
      }
    },
    async written(tenant, connectionId, { after = '', limit }) {
      const rows = await db
        .selectFrom('portal_writer')
        .select('user_id')
        .where('tenant', '=', text.encode(tenant))
        .where('connection_id', '=', text.encode(connectionId))
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(limit)
        .execute()
      return rows.map(({ user_id }) => text.decode(user_id))
    },
    forget: (tenant, connectionId) =>
      atomic(db, async (tx) => {
        for (const table of [
          'portal_log',
          'portal_received',
          'portal_writer',
          'portal_facts',
        ] as const)
          await tx
            .deleteFrom(table)
            .where('tenant', '=', text.encode(tenant))
            .where('connection_id', '=', text.encode(connectionId))
            .execute()
      }),
  }
}

async function list(
  db: Db,
  { tenant, connectionId }: { readonly tenant: string; readonly connectionId: string },
  { search, outcome, op, before, limit }: LogQuery,
): Promise<Numbered<LogRecord>[]> {
  let query = db
    .selectFrom('portal_log')
    .selectAll()
    .where('tenant', '=', text.encode(tenant))
    .where('connection_id', '=', text.encode(connectionId))
  if (outcome !== undefined) query = query.where('outcome', '=', outcome)
  if (op !== undefined) query = query.where('op', '=', op)
  if (before !== undefined) query = query.where('seq', '<', before)
  if (search !== undefined) {
    const pattern = `%${text.encode(search).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    query = query.where(sql<boolean>`search like ${pattern} escape '\\'`)
  }
  const rows = await query.orderBy('seq', 'desc').limit(limit).execute()
  return rows.map((row) => logs.fromRow(row))
}

async function append(tx: Db, { log, received, writers, facts }: LogBatch): Promise<void> {
  for (const part of parts(log))
    await tx
      .insertInto('portal_log')
      .values(part.map((record) => logs.toPatch(record) as Omit<PortalLogRow, 'seq'>))
      .execute()
  for (const part of parts(received))
    await tx
      .insertInto('portal_received')
      .values(part.map((record) => receipts.toRow(record)))
      .execute()
  for (const key of new Set(received.map((one) => JSON.stringify([one.tenant, one.connectionId]))))
    await trimReceived(tx, JSON.parse(key) as [string, string])
  // A statement may write each row once, and rows in one order make no deadlock with another writer.
  const last = new Map(writers.map((one) => [JSON.stringify([one.tenant, one.userId]), one]))
  const ordered = [...last.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const part of parts(ordered))
    await tx
      .insertInto('portal_writer')
      .values(
        part.map(([, { tenant, userId, connectionId, at }]) => ({
          tenant: text.encode(tenant),
          user_id: text.encode(userId),
          connection_id: nullable(text).encode(connectionId),
          at: at.getTime(),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['tenant', 'user_id']).doUpdateSet({
          connection_id: sql`excluded.connection_id`,
          at: sql`excluded.at`,
        }),
      )
      .execute()
  for (const change of facts.toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1)))
    await tx
      .insertInto('portal_facts')
      .values({
        tenant: text.encode(change.tenant),
        connection_id: text.encode(change.connectionId),
        cursor: 1,
        requests: change.requests,
        last_request_at: nullable(date).encode(change.lastRequestAt),
        first_user: nullable(firstUser).encode(change.firstUser),
      })
      .onConflict((conflict) =>
        conflict.columns(['tenant', 'connection_id']).doUpdateSet({
          cursor: sql`portal_facts.cursor + 1`,
          requests: sql`portal_facts.requests + excluded.requests`,
          last_request_at: sql`coalesce(excluded.last_request_at, portal_facts.last_request_at)`,
          first_user: sql`coalesce(portal_facts.first_user, excluded.first_user)`,
        }),
      )
      .execute()
}

async function trimReceived(tx: Db, [tenant, connectionId]: [string, string]): Promise<void> {
  const [given, id] = [text.encode(tenant), text.encode(connectionId)]
  await sql`delete from portal_received where tenant = ${given} and connection_id = ${id}
    and seq <= (select seq from portal_received where tenant = ${given} and connection_id = ${id}
      order by seq desc limit 1 offset ${sql.lit(RECEIVED)})`.execute(tx)
}

function* parts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += ROWS) yield items.slice(at, at + ROWS)
}
