import {
  recordData,
  userWrite,
  type Adoption,
  type GetOptions,
  type OnUserWrite,
  type UserSummary,
  type UserRecord,
  type UserStore,
  type UserUpdateOptions,
} from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { idList } from '../query/id-list.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import { atomic, locksRows, statement } from '../engine/transaction.ts'
import type { ListCache } from './list-cache.ts'
import { listUsers } from './list.ts'
import { CONTACT_LISTS, elementRows } from './search-keys.ts'
import {
  deleteElements,
  deleteUser,
  insertElement,
  insertUser,
  keepBrief,
  lockUser,
  lockUserWithGroups,
  readSummary,
  readHead,
  readUser,
  readUserWithGroups,
  updateAll,
  updateDocument,
} from './user-queries.ts'
import { fromUserRow, INDEXED_COLUMNS, toUserRow, type UserValues } from './user-row.ts'

type Db = Kysely<ScimTables>

/** Maximum ids per query: enough for the managers of any page. */
const AT_ONCE = 10_000

/** State shared by the stores of a database. */
export interface ScimContext {
  readonly cache: ListCache
  /** Within a transaction: the users read so far, which need not be read again before a change. */
  readonly seen?: Map<string, UserRecord>
  readonly onUserWrite?: OnUserWrite<Db> | undefined
  readonly adopt?: AdoptUser | undefined
}

/** Returns the host account that a new SCIM user takes over, why there must be none, or null. */
export type AdoptUser = (tenant: string, record: UserRecord, transaction: Db) => Promise<Adoption>

/** Creates a user store. `db` may be a transaction: all queries of a call go through it. */
export function createUserStore(db: Db, context: ScimContext): UserStore {
  const { cache, onUserWrite, adopt } = context
  const alone = <Result>(work: (tx: Db) => Promise<Result>): Promise<Result> =>
    db.isTransaction ? statement(db, work) : atomic(db, work)

  /**
   * A write followed by its hook, all or nothing. `known`: the record before it, unless it has to be read;
   * `work` returns false if no row matched.
   */
  const write = (
    known: UserRecord | null | undefined,
    key: { readonly tenant: string; readonly id: string },
    work: (tx: Db) => Promise<UserRecord | null | false>,
    options?: UserUpdateOptions,
  ): Promise<boolean> => {
    if (onUserWrite === undefined) return alone(async (tx) => (await work(tx)) !== false)
    return atomic(db, async (tx) => {
      const before = known === undefined ? await getUser(tx, key) : known && plainUser(known)
      const after = await work(tx)
      if (after === false) return false
      await onUserWrite(userWrite(before, after, options), tx)
      return true
    })
  }

  return {
    get(tenant, id, options) {
      const found = getUser(db, { tenant, id }, options)
      const { seen } = context
      if (seen === undefined) return found
      return found.then((record) => {
        if (record !== null) seen.set(id, record)
        return record
      })
    },

    async wasDeleted(tenant, { by, value }) {
      const row = await db
        .selectFrom('scim_user')
        .select('id')
        .where('tenant', '=', tenant)
        .where(by === 'id' ? 'id' : 'external_id', '=', value)
        .where('deleted_at', 'is not', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async insert(tenant, given) {
      const record = given.tenant === tenant ? given : { ...given, tenant }
      await write(null, record, async (tx) => {
        const { rows, insertId } = await insertUser.run(tx, toUserRow(record))
        await insertElements(tx, rows[0]?.seq ?? insertId ?? 0, record)
        return record
      })
      cache.inserted(record.created)
    },

    async update(tenant, given, expectedVersion, options) {
      const record = given.tenant === tenant ? given : { ...given, tenant }
      const seen = seenUser(context, record, expectedVersion)
      const done = await write(
        seen,
        record,
        async (tx) => ((await updateUser(tx, record, { expectedVersion, seen })) ? record : false),
        options,
      )
      if (done) cache.changed(record.deletedAt === null ? 'updated' : 'removed')
      return done
    },

    async remove(tenant, id) {
      const done = await write(undefined, { tenant, id }, async (tx) => {
        const { changed } = await deleteUser.run(tx, { tenant, id })
        return changed > 0 ? null : false
      })
      if (done) cache.changed('removed')
      return done
    },

    async briefs(tenant, ids, options) {
      const found = new Map<string, UserSummary>()
      const [one, second] = ids
      const keeps = options?.keep === true && locksRows(db)
      if (one !== undefined && second === undefined) {
        const { rows } = await (keeps ? keepBrief : readSummary).run(db, { tenant, id: one })
        for (const row of rows) found.set(row.id, row)
        return found
      }
      for (const chunk of chunks(ids, AT_ONCE)) {
        const query = db
          .selectFrom('scim_user')
          .select(['id', 'display'])
          .where('tenant', '=', tenant)
          .where('id', 'in', sql<string>`(select ids.id from ${idList(db, chunk)})`)
          .where('deleted_at', 'is', null)
        const rows = await (keeps ? query.orderBy('id').forKeyShare() : query).execute()
        for (const row of rows) found.set(row.id, row)
      }
      return found
    },

    list: (tenant, query) => listUsers(db, { tenant, query, cache }),

    async lockAddresses(tenant, keys) {
      if (!locksRows(db)) return
      for (const key of keys) {
        const name = `${tenant}\n${key}`
        await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
      }
    },

    ...(adopt === undefined
      ? {}
      : { adopt: (tenant: string, record: UserRecord) => adopt(tenant, record, db) }),
  }
}

async function getUser(
  db: Db,
  key: { readonly tenant: string; readonly id: string },
  { forUpdate = false, withGroups = false }: GetOptions = {},
): Promise<UserRecord | null> {
  const locks = forUpdate && locksRows(db)
  const alone = locks ? lockUser : readUser
  const query = withGroups ? (locks ? lockUserWithGroups : readUserWithGroups) : alone
  const { rows } = await query.run(db, key)
  const row = rows[0]
  return row === undefined ? null : fromUserRow(key.tenant, row)
}

/** The user as the transaction has read it, if that is the version about to be replaced. */
function seenUser(
  { seen }: ScimContext,
  { tenant, id }: UserRecord,
  expectedVersion: number,
): UserRecord | undefined {
  const user = seen?.get(id)
  return user?.tenant === tenant && user.version === expectedVersion ? user : undefined
}

/** A user as it is written, without its groups. */
function plainUser({ groups: _groups, ...user }: UserRecord): UserRecord {
  return user
}

/** Writes only what changed: indexes and list elements are not touched if their values are the same. */
async function updateUser(
  tx: Db,
  record: UserRecord,
  {
    expectedVersion,
    seen,
  }: { readonly expectedVersion: number; readonly seen: UserRecord | undefined },
): Promise<boolean> {
  const row = toUserRow(record)
  if (seen !== undefined && isSameIndexed(record, seen)) {
    return (await updateDocument.run(tx, { expectedVersion, ...row })).changed > 0
  }
  const { tenant, id } = record
  const { rows } = await readHead.run(tx, { tenant, id, expectedVersion })
  const head = rows[0]
  if (head === undefined) return false
  const query = isKeySame(record, row, head) ? updateDocument : updateAll
  const { changed } = await query.run(tx, { expectedVersion, ...row })
  if (changed === 0) return false
  if (head.lists !== row.lists) {
    await deleteElements.run(tx, { seq: head.seq })
    await insertElements(tx, head.seq, record)
  }
  return true
}

/**
 * True if no indexed column and no element changes. Unchanged parts are the same value in both documents.
 */
function isSameIndexed(record: UserRecord, before: UserRecord): boolean {
  if (record.deletedAt !== null || record.externalId !== before.externalId) return false
  if (record.userNameKey !== before.userNameKey) return false
  if (record.created.getTime() !== before.created.getTime()) return false
  const [data, old] = [recordData(record), recordData(before)]
  return INDEXED_ATTRIBUTES.every((name) => data[name] === old[name])
}

const INDEXED_ATTRIBUTES: readonly string[] = [...CONTACT_LISTS, 'displayName', 'name']

/** True if no indexed column changes. */
function isKeySame(
  { deletedAt }: UserRecord,
  row: UserValues,
  before: Pick<UserValues, (typeof INDEXED_COLUMNS)[number]>,
): boolean {
  return deletedAt === null && INDEXED_COLUMNS.every((column) => before[column] === row[column])
}

async function insertElements(tx: Db, seq: number, record: UserRecord): Promise<void> {
  for (const row of elementRows(recordData(record))) {
    await insertElement.run(tx, { user_seq: seq, tenant: record.tenant, ...row })
  }
}
