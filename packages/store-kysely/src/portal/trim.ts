import type { PortalStore } from '@x/directory-portal'
import { sql, type Kysely } from 'kysely'
import type { PortalTables } from '../schema/tables/portal.ts'

/** Removes what is older than its time; one statement a table, whatever the number of connections. */
export async function trimPortal(
  db: Kysely<PortalTables>,
  { ended, log, entries, received, activity }: Parameters<PortalStore['trim']>[0],
): Promise<void> {
  for (const table of ['portal_link', 'portal_session'] as const)
    await db.deleteFrom(table).where('expires_at', '<', ended.getTime()).execute()
  await db.deleteFrom('portal_log').where('at', '<', log.getTime()).execute()
  await sql`delete from portal_log where seq in (
    select seq from (select seq, row_number() over (
      partition by tenant, connection_id order by seq desc) as place from portal_log) as placed
    where place > ${entries})`.execute(db)
  await db.deleteFrom('portal_received').where('at', '<', received.getTime()).execute()
  await db.deleteFrom('portal_activity').where('at', '<', activity.getTime()).execute()
}
