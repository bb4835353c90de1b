import { compareCodePoints } from '../base/fold.ts'
import {
  ACTIVITY_MS,
  type ActivityNote,
  type ActivityStore,
  type UserActivity,
} from '../store/activity.ts'
import type { UserRecord } from '../store/users.ts'

const NOTHING: UserActivity = {
  lastSeenAt: null,
  lastWrittenAt: null,
  source: null,
  refusal: null,
  refusedSince: null,
  missedSince: null,
}

/** The activity of users in memory. */
export function createMemoryActivity(
  usersOf: (tenant: string) => Iterable<UserRecord>,
): ActivityStore {
  const tenants = new Map<string, Map<string, UserActivity>>()
  const rowsOf = (tenant: string): Map<string, UserActivity> => {
    const rows = tenants.get(tenant) ?? new Map<string, UserActivity>()
    tenants.set(tenant, rows)
    return rows
  }
  return {
    async record(tenant, notes) {
      const rows = rowsOf(tenant)
      for (const note of notes) {
        const next = noted(rows.get(note.userId) ?? NOTHING, note)
        if (next !== null) rows.set(note.userId, next)
      }
    },
    async get(tenant, ids) {
      const rows = rowsOf(tenant)
      const found = new Map<string, UserActivity>()
      for (const id of ids) {
        const row = rows.get(id)
        if (row !== undefined) found.set(id, structuredClone(row))
      }
      return found
    },
    async sources(tenant) {
      const found = [...rowsOf(tenant).values()].map(({ source }) => source)
      return [...new Set(found)].filter((source) => source !== null)
    },
    async users(tenant, { after, limit, except = [] }) {
      const rows = rowsOf(tenant)
      const quiet = new Set(except)
      return [...usersOf(tenant)]
        .filter(
          ({ id, deletedAt }) =>
            deletedAt === null && (after === undefined || compareCodePoints(id, after) > 0),
        )
        .filter(({ id }) => !isQuiet(rows.get(id), quiet))
        .toSorted((a, b) => compareCodePoints(a.id, b.id))
        .slice(0, limit)
        .map(({ id, userName, externalId, active, created }) => ({
          id,
          userName,
          externalId,
          active: active === true,
          created,
          activity: structuredClone(rows.get(id) ?? null),
        }))
    },
    async missed(tenant, { at, missed, found }) {
      const rows = rowsOf(tenant)
      for (const id of missed) {
        const row = rows.get(id) ?? NOTHING
        rows.set(id, { ...row, missedSince: row.missedSince ?? at })
      }
      for (const id of found) {
        const row = rows.get(id)
        if (row !== undefined) rows.set(id, { ...row, missedSince: null })
      }
    },
  }
}

/** Returns whether there is nothing to say of a user of one of these sources. */
function isQuiet(row: UserActivity | undefined, sources: ReadonlySet<string>): boolean {
  if (row === undefined || row.source === null || !sources.has(row.source)) return false
  return row.lastSeenAt !== null && row.refusal === null && row.missedSince === null
}

/** null: nothing becomes newer by an hour. */
function noted(
  row: UserActivity,
  { at, kind, source, refusal }: ActivityNote,
): UserActivity | null {
  const isOld = (time: Date | null): boolean =>
    time === null || at.getTime() - time.getTime() >= ACTIVITY_MS
  if (kind === 'seen') return isOld(row.lastSeenAt) ? { ...row, lastSeenAt: at } : null
  if (kind === 'refused') {
    if (!isOld(row.refusal?.at ?? null)) return null
    return { ...row, lastSeenAt: at, refusal, refusedSince: row.refusedSince ?? at }
  }
  const isSame = row.refusal === null && row.source === source
  if (isSame && !isOld(row.lastWrittenAt)) return null
  const times = { lastSeenAt: at, lastWrittenAt: at }
  return { ...row, ...times, source, refusal: null, refusedSince: null }
}
