import type { PortalStore } from '@x/directory-portal'
import type { Kysely } from 'kysely'
import type { PortalTables } from '../schema/tables/portal.ts'
import { activityPart } from './activity.ts'
import { domainPart } from './domains.ts'
import { linkPart, sessionPart } from './links.ts'
import { logPart } from './log.ts'
import { rolePart } from './roles.ts'
import { trimPortal } from './trim.ts'

/**
 * The records of the directory portal on a database prepared by `migratePortal`, for any number of processes.
 * @throws TypeError if the database was not opened by `openSqlite` or `openPostgres`
 */
export function createPortalStore<Tables>(given: Kysely<Tables>): PortalStore {
  const db = given as unknown as Kysely<PortalTables>
  return {
    links: linkPart(db),
    sessions: sessionPart(db),
    log: logPart(db),
    activity: activityPart(db),
    domains: domainPart(db),
    roles: rolePart(db),
    trim: (limits) => trimPortal(db, limits),
  }
}
