import type { TokenRecord, TokenStore } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { date, json, mapping, nullable, plain, text } from '../records/columns.ts'
import type { ScimTables, ScimTokenRow } from '../schema/tables/scim.ts'

const tokens = mapping<TokenRecord, ScimTokenRow>({
  id: plain(),
  tenant: plain(),
  digest: plain(),
  scopes: json(),
  label: nullable(text),
  created: date,
  notBefore: nullable(date),
  expiresAt: nullable(date),
  revokedAt: nullable(date),
  lastUsedAt: nullable(date),
  connectionId: nullable(plain()),
})

/** Omits `connectionId` if there is none. */
function tokenOf(row: ScimTokenRow): TokenRecord {
  const { connectionId = null, ...token } = tokens.fromRow(row)
  return connectionId === null ? token : { ...token, connectionId }
}

/** Bearer tokens of all tenants in SQL: digests only. */
export function createTokenStore(db: Kysely<ScimTables>): TokenStore {
  const find = async (column: 'id' | 'digest', value: string): Promise<TokenRecord | null> => {
    const row = await db
      .selectFrom('scim_token')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row === undefined ? null : tokenOf(row)
  }

  return {
    async insert(record) {
      await db.insertInto('scim_token').values(tokens.toRow(record)).execute()
    },
    get: (id) => find('id', id),
    byDigest: (digest) => find('digest', digest),
    async update(id, patch) {
      const changes = tokens.toPatch(patch)
      if (Object.keys(changes).length === 0) return (await find('id', id)) !== null
      const { numUpdatedRows } = await db
        .updateTable('scim_token')
        .set(changes)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async list(tenant) {
      const rows = await db
        .selectFrom('scim_token')
        .selectAll()
        .where('tenant', '=', tenant)
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows.map(tokenOf)
    },
  }
}
