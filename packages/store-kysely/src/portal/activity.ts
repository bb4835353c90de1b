import type { ActivityRecord, Numbered, PortalStore } from '@x/directory-portal'
import type { Kysely, Selectable } from 'kysely'
import { date, mapping, nullable, number, text } from '../records/columns.ts'
import type { PortalActivityRow, PortalTables } from '../schema/tables/portal.ts'

const activities = mapping<Numbered<ActivityRecord>, Selectable<PortalActivityRow>>({
  seq: number,
  tenant: text,
  at: date,
  actor: text,
  action: text,
  target: nullable(text),
})

export function activityPart(db: Kysely<PortalTables>): PortalStore['activity'] {
  return {
    async append({ tenant, at, actor, action, target }) {
      await db
        .insertInto('portal_activity')
        .values({
          tenant: text.encode(tenant),
          at: at.getTime(),
          actor: text.encode(actor),
          action,
          target: nullable(text).encode(target),
        })
        .execute()
    },
    async list(tenant, { before, limit }) {
      let query = db
        .selectFrom('portal_activity')
        .selectAll()
        .where('tenant', '=', text.encode(tenant))
      if (before !== undefined) query = query.where('seq', '<', before)
      const rows = await query.orderBy('seq', 'desc').limit(limit).execute()
      return rows.map((row) => activities.fromRow(row))
    },
  }
}
