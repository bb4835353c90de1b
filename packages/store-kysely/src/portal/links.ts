import type { LinkRecord, PortalStore, SessionRecord } from '@x/directory-portal'
import { sql, type Kysely } from 'kysely'
import { atomic } from '../engine/transaction.ts'
import { date, mapping, nullable, plain, text } from '../records/columns.ts'
import type { PortalLinkRow, PortalSessionRow, PortalTables } from '../schema/tables/portal.ts'

type Db = Kysely<PortalTables>

const MAX_LISTED = 200

const shared = {
  id: plain(),
  tenant: text,
  digest: plain(),
  tenantName: nullable(text),
  actor: text,
  permission: plain<LinkRecord['permission']>(),
  language: nullable(text),
  returnUrl: nullable(text),
  created: date,
  expiresAt: date,
}

const links = mapping<LinkRecord, PortalLinkRow>({
  ...shared,
  usedAt: nullable(date),
  revokedAt: nullable(date),
})

const sessions = mapping<SessionRecord, PortalSessionRow>({
  ...shared,
  linkId: plain(),
  seenAt: date,
})

export function linkPart(db: Db): PortalStore['links'] {
  return {
    async insert(record) {
      await db.insertInto('portal_link').values(links.toRow(record)).execute()
    },
    async list(tenant) {
      const rows = await db
        .selectFrom('portal_link')
        .selectAll()
        .where('tenant', '=', text.encode(tenant))
        .orderBy('created', 'desc')
        .limit(MAX_LISTED)
        .execute()
      return rows.map((row) => links.fromRow(row))
    },
    async byDigest(digest) {
      const row = await db
        .selectFrom('portal_link')
        .selectAll()
        .where('digest', '=', digest)
        .executeTakeFirst()
      return row === undefined ? null : links.fromRow(row)
    },
    async redeem(digest, at) {
      const { numUpdatedRows } = await db
        .updateTable('portal_link')
        .set({ used_at: at.getTime() })
        .where('digest', '=', digest)
        .where('used_at', 'is', null)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', at.getTime())
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    revoke: (tenant, id, at) =>
      atomic(db, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('portal_link')
          .set({ revoked_at: sql`coalesce(revoked_at, ${at.getTime()})` })
          .where('tenant', '=', text.encode(tenant))
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        await tx.deleteFrom('portal_session').where('link_id', '=', id).execute()
        return true
      }),
  }
}

export function sessionPart(db: Db): PortalStore['sessions'] {
  return {
    async insert(record) {
      await db.insertInto('portal_session').values(sessions.toRow(record)).execute()
    },
    async byDigest(digest) {
      const row = await db
        .selectFrom('portal_session')
        .selectAll()
        .where('digest', '=', digest)
        .executeTakeFirst()
      return row === undefined ? null : sessions.fromRow(row)
    },
    async seen(tenant, id, at) {
      await db
        .updateTable('portal_session')
        .set({ seen_at: at.getTime() })
        .where('tenant', '=', text.encode(tenant))
        .where('id', '=', id)
        .execute()
    },
    async end(tenant, id) {
      await db
        .deleteFrom('portal_session')
        .where('tenant', '=', text.encode(tenant))
        .where('id', '=', id)
        .execute()
    },
    async endAll(tenant) {
      await db.deleteFrom('portal_session').where('tenant', '=', text.encode(tenant)).execute()
    },
  }
}
