import type {
  OidcLinkStore,
  RefreshFamilyStore,
  RefreshUse,
  RefreshUseResult,
} from '@x/flow-service/store'
import { sql } from 'kysely'
import { keptRecords } from '../records/kept-records.ts'
import { atomic } from '../engine/transaction.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { oidcLinkMapping, refreshFamilyMapping } from './mappings.ts'
import { removeFamilies } from './removal.ts'

/** Cached, because each request with an access token reads its sign-in. */
const SIGN_IN_CACHE = { records: 1000, characters: 1024 * 1024, sizeOf: () => 100 }

/** Refresh families in SQL. */
export function createRefreshFamilies(db: FlowDb): RefreshFamilyStore {
  const rows = rowsOf(db, 'flow_refresh_family', refreshFamilyMapping)
  const removeWhere = (condition: ReturnType<typeof sql>): Promise<void> =>
    atomic(db, (tx) => removeFamilies(tx, condition))
  return {
    get: keptRecords(db, (id) => rows.first({ id }), SIGN_IN_CACHE),
    insert: (record, tokenId) =>
      atomic(db, async (tx) => {
        await rowsOf(tx, 'flow_refresh_family', refreshFamilyMapping).insert([record])
        await addToken(tx, record.id, tokenId)
      }),
    use: (use) => atomic(db, (tx) => useToken(tx, use)),
    remove: (id) => removeWhere(sql`id = ${id}`),
    removeOfUser: (userId) => removeWhere(sql`user_id = ${userId}`),
    keepOnly: (userId, id) =>
      atomic(db, async (tx) => {
        await removeFamilies(tx, sql`user_id = ${userId} and id <> ${id}`)
        await tx.deleteFrom('flow_refresh_token').where('family_id', '=', id).execute()
      }),
    async keepNewest(userId, most) {
      const { rows: last } = await sql<{ seq: number }>`select seq from flow_refresh_family
        where user_id = ${userId} order by seq desc limit 1 offset ${most}`.execute(db)
      const seq = last[0]?.seq
      if (seq !== undefined) await removeWhere(sql`user_id = ${userId} and seq <= ${seq}`)
    },
    trim: (before) => removeWhere(sql`expires_at < ${before.getTime()}`),
  }
}

async function addToken(tx: FlowDb, familyId: string, id: string): Promise<void> {
  await tx
    .insertInto('flow_refresh_token')
    .values({ id, family_id: familyId, used_at: null, successor_id: null })
    .execute()
}

/** The update's condition decides which call is first, so two calls cannot both be. */
async function useToken(
  tx: FlowDb,
  { familyId, tokenId, successorId, at }: RefreshUse,
): Promise<RefreshUseResult | null> {
  const { numUpdatedRows } = await tx
    .updateTable('flow_refresh_token')
    .set({ used_at: at.getTime(), successor_id: successorId })
    .where('family_id', '=', familyId)
    .where('id', '=', tokenId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 1n) {
    await addToken(tx, familyId, successorId)
    return { first: true, usedAt: new Date(at), successorId }
  }
  const token = await tx
    .selectFrom('flow_refresh_token')
    .select(['used_at', 'successor_id'])
    .where('family_id', '=', familyId)
    .where('id', '=', tokenId)
    .executeTakeFirst()
  if (token === undefined || token.used_at === null || token.successor_id === null) return null
  return { first: false, usedAt: new Date(token.used_at), successorId: token.successor_id }
}

/** Links to identities in SQL. */
export function createOidcLinks(db: FlowDb): OidcLinkStore {
  const rows = rowsOf(db, 'flow_oidc_link', oidcLinkMapping)
  return {
    find: (issuer, subject) => rows.first({ issuer, subject }),
    insert: (record) => rows.insert([record]),
  }
}
