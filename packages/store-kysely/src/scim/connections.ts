import type {
  ClientRecord,
  ClientSecretRecord,
  Connection,
  ConnectionStore,
} from '@x/scim-core/connections'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { atomic } from '../engine/transaction.ts'
import { bool, date, json, mapping, nullable, plain, text } from '../records/columns.ts'
import type { Codec } from '../records/columns.ts'
import type {
  ScimClientRow,
  ScimClientSecretRow,
  ScimConnectionRow,
  ScimTables,
} from '../schema/tables/scim.ts'

type Db = Kysely<ScimTables>
type LastError = NonNullable<Connection['lastError']>

/** JSON that begins with the time of the error, so that errors are ordered by the start of their texts. */
const lastError: Codec<LastError, string> = {
  encode: ({ at, status, scimType, detail }) => JSON.stringify({ at, status, scimType, detail }),
  decode(column) {
    const stored = JSON.parse(column) as Omit<LastError, 'at'> & { readonly at: string }
    return { ...stored, at: new Date(stored.at) }
  },
}

/** The characters up to the end of the time. */
const TIME_LENGTH = '{"at":"2026-11-24T00:00:00.000Z"'.length

/** Writes an error unless that of another process is later. */
function latest(error: string) {
  const time = error.slice(0, TIME_LENGTH)
  return sql<string>`case when substr(last_error, 1, ${sql.lit(TIME_LENGTH)}) > ${time}
    then last_error else ${error} end`
}

const connections = mapping<Connection, ScimConnectionRow>({
  id: plain(),
  tenant: plain(),
  name: text,
  provider: plain(),
  enabled: bool,
  settings: json(),
  created: date,
  lastUsedAt: nullable(date),
  lastError: nullable(lastError),
})

const clients = mapping<ClientRecord, ScimClientRow>({
  id: plain(),
  tenant: plain(),
  connectionId: plain(),
  digest: nullable(plain()),
  jwks: nullable(json()),
  federation: nullable(json()),
  scopes: json(),
  label: nullable(text),
  created: date,
  revokedAt: nullable(date),
  lastUsedAt: nullable(date),
})

const secrets = mapping<ClientSecretRecord, ScimClientSecretRow>({
  id: plain(),
  clientId: plain(),
  digest: plain(),
  hint: plain(),
  created: date,
  expiresAt: nullable(date),
  revokedAt: nullable(date),
  lastUsedAt: nullable(date),
})

/** Connections of all tenants in SQL. */
export function createConnectionStore(db: Db): ConnectionStore {
  const find = async (id: string): Promise<Connection | null> => {
    const row = await db
      .selectFrom('scim_connection')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : connections.fromRow(row)
  }
  return {
    insert: (record, limit) => atomic(db, (tx) => insertConnection(tx, record, limit)),
    async get(tenant, id) {
      const record = await find(id)
      return record?.tenant === tenant ? record : null
    },
    byId: find,
    async list(tenant) {
      const rows = await db
        .selectFrom('scim_connection')
        .selectAll()
        .where('tenant', '=', tenant)
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows.map((row) => connections.fromRow(row))
    },
    async page({ after = '', limit }) {
      const rows = await db
        .selectFrom('scim_connection')
        .selectAll()
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => connections.fromRow(row))
    },
    async update(tenant, id, patch) {
      const changes = connections.toPatch(patch)
      const { last_error: error } = changes
      if (Object.keys(changes).length === 0) return (await find(id))?.tenant === tenant
      const { numUpdatedRows } = await db
        .updateTable('scim_connection')
        .set({ ...changes, ...(error != null && { last_error: latest(error) }) })
        .where('tenant', '=', tenant)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    remove: (tenant, id, at) =>
      atomic(db, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('scim_connection')
          .where('tenant', '=', tenant)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        if (at !== undefined) await keepRemoval(tx, { tenant, id, at })
        const ofConnection = tx
          .selectFrom('scim_client')
          .select('id')
          .where('connection_id', '=', id)
        await tx.deleteFrom('scim_client_secret').where('client_id', 'in', ofConnection).execute()
        await tx.deleteFrom('scim_client').where('connection_id', '=', id).execute()
        return true
      }),
    async removed(tenant) {
      const rows = await removals(db, tenant).select(['name', 'changed']).execute()
      return rows.map(({ name, changed }) => ({
        id: name.slice(name.lastIndexOf('\n') + 1),
        at: new Date(changed),
      }))
    },
    async insertClient(record) {
      await db.insertInto('scim_client').values(clients.toRow(record)).execute()
    },
    async client(id) {
      const row = await db
        .selectFrom('scim_client')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? null : clients.fromRow(row)
    },
    async clients(connectionId) {
      const rows = await db
        .selectFrom('scim_client')
        .selectAll()
        .where('connection_id', '=', connectionId)
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows.map((row) => clients.fromRow(row))
    },
    async hasClients() {
      const query = db.selectFrom('scim_client').select('id').limit(1)
      return (await query.executeTakeFirst()) !== undefined
    },
    async updateClient(id, patch) {
      const { numUpdatedRows } = await db
        .updateTable('scim_client')
        .set({ id, ...clients.toPatch(patch) })
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async insertSecret(record) {
      await db.insertInto('scim_client_secret').values(secrets.toRow(record)).execute()
    },
    async secrets(clientId) {
      const rows = await db
        .selectFrom('scim_client_secret')
        .selectAll()
        .where('client_id', '=', clientId)
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows.map((row) => secrets.fromRow(row))
    },
    async updateSecret(id, patch) {
      const { numUpdatedRows } = await db
        .updateTable('scim_client_secret')
        .set({ id, ...secrets.toPatch(patch) })
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  }
}

const MAX_REMOVED = 1_000

/** The latest removals of a tenant's connections. */
function removals(db: Db, tenant: string) {
  const prefix = `removed-connection\n${tenant}\n`
  return db
    .selectFrom('scim_kept')
    .where('name', '>=', prefix)
    .where('name', '<', `removed-connection\n${tenant}\u000b`)
    .orderBy('changed', 'desc')
    .orderBy('name')
    .limit(MAX_REMOVED)
}

async function keepRemoval(
  tx: Db,
  { tenant, id, at }: { readonly tenant: string; readonly id: string; readonly at: Date },
): Promise<void> {
  const name = `removed-connection\n${tenant}\n${id}`
  await tx
    .insertInto('scim_kept')
    .values({ name, value: '', changed: at.getTime() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const rows = await removals(tx, tenant).select('changed').execute()
  const oldest = rows.at(-1)
  if (rows.length < MAX_REMOVED || oldest === undefined) return
  await tx
    .deleteFrom('scim_kept')
    .where('name', '>=', `removed-connection\n${tenant}\n`)
    .where('name', '<', `removed-connection\n${tenant}\u000b`)
    .where('changed', '<', oldest.changed)
    .execute()
}

/** Concurrent insertions for a tenant are serialised, so that the limit holds. */
async function insertConnection(tx: Db, record: Connection, limit: number): Promise<boolean> {
  const { tenant } = record
  if (engineOf(tx).kind === 'postgres') {
    const lock = sql`select pg_advisory_xact_lock(hashtext('scim_connection'), hashtext(${tenant}))`
    await lock.execute(tx)
  }
  const { total } = await tx
    .selectFrom('scim_connection')
    .select((expression) => expression.fn.countAll<number>().as('total'))
    .where('tenant', '=', tenant)
    .executeTakeFirstOrThrow()
  if (total >= limit) return false
  await tx.insertInto('scim_connection').values(connections.toRow(record)).execute()
  return true
}
