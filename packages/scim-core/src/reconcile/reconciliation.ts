import { createSystemRuntime, yieldToEventLoop, type Runtime } from '@x/wire'
import { fold } from '../base/fold.ts'
import { refusedCreateOf, type ActiveUser } from '../store/activity.ts'
import type { ScimStore } from '../store/scim-store.ts'
import {
  compareDirectory,
  type CompareOptions,
  type DirectoryComparison,
} from './compare-directory.ts'
import { reasonsOf, type FoundReason, type ReconcileReason } from './reasons.ts'
import {
  readSourceStates,
  type NamedCredential,
  type ReconcileConnections,
} from './source-states.ts'

export interface ReconciliationOptions {
  /** With `activity`. */
  readonly store: Pick<ScimStore, 'users' | 'activity'>
  /** Default: nothing is said about connections. */
  readonly connections?: ReconcileConnections
  /** Credentials of the host's own settings. Default: nothing is said about them. */
  readonly credentials?: readonly NamedCredential[]
  /** The host's accounts that no directory manages, by id. Default: none. */
  readonly unmanaged?: (tenant: string) => Promise<readonly UnmanagedAccount[]>
  readonly runtime?: Runtime
}

/** An account of the host that is no user of the directory. */
export interface UnmanagedAccount {
  readonly id: string
  readonly userName: string
  readonly active: boolean
  readonly created: Date
  readonly isSuperuser: boolean
}

/** A user with at least one reason. */
export interface ReconcileRow {
  readonly id: string
  readonly userName: string
  readonly externalId: string | null
  readonly active: boolean
  readonly reasons: readonly FoundReason[]
  readonly lastSeenAt: Date | null
  readonly lastWrittenAt: Date | null
  readonly connectionId: string | null
}

export interface ReportOptions {
  /** Only users with one of these. Default: any. */
  readonly reasons?: readonly ReconcileReason[]
  /** Only these. Default: both. */
  readonly active?: boolean
  /** Matching rows to skip, instead of `after`. Default 0. */
  readonly offset?: number
  /** The id of the last row of the page before. */
  readonly after?: string
  /** Default 100, at most 1,000. */
  readonly limit?: number
}

export interface ReconcileReport {
  /** Users that match. */
  readonly total: number
  /** Matching users by reason; a user may have several. */
  readonly counts: Readonly<Partial<Record<ReconcileReason, number>>>
  /** By id. */
  readonly rows: readonly ReconcileRow[]
  /** `after` of the next page; null: this is the last one. */
  readonly next: string | null
}

/** Says who is active, why, and since when. Deactivates nobody. */
export interface Reconciliation {
  report(tenant: string, options?: ReportOptions): Promise<ReconcileReport>
  /**
   * Compares with the directory's own list, and remembers whom it misses; a suspicious list is remembered only
   * with `force`. `takenAt`: users created later are not missed. Default: now.
   * @throws ScimError as `compareDirectory`
   */
  compare(
    tenant: string,
    rows: CompareOptions['rows'],
    options?: { readonly takenAt?: Date; readonly force?: boolean },
  ): Promise<DirectoryComparison>
}

const PAGE = 5_000
const MAX_LIMIT = 1_000

/** @throws TypeError for a store that does not remember activity */
export function createReconciliation(options: ReconciliationOptions): Reconciliation {
  const { store, runtime = createSystemRuntime() } = options
  const { activity } = store
  if (activity === undefined) throw new TypeError('store must remember activity')

  return {
    async report(tenant, { reasons, active, after, offset = 0, limit = 100 } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw new TypeError(`limit must be an integer from 1 to ${MAX_LIMIT}`)
      }
      const stateOf = await readSourceStates(options, { tenant, now: runtime.now() })
      const sources = await activity.sources(tenant)
      const except = sources.filter((source) => stateOf(source, null) === null)
      const counts = new Map<ReconcileReason, number>()
      const rows: ReconcileRow[] = []
      let total = 0
      const add = (row: ReconcileRow): void => {
        if (active !== undefined && row.active !== active) return
        if (!row.reasons.some(({ reason }) => reasons?.includes(reason) ?? true)) return
        total += 1
        for (const { reason } of row.reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
        if (total <= offset || (after !== undefined && row.id <= after)) return
        if (rows.length <= limit) rows.push(row)
      }
      const others = await unmanagedRows(options, tenant)
      let last: string | undefined
      for (;;) {
        const from = last === undefined ? {} : { after: last }
        const users = await activity.users(tenant, { ...from, limit: PAGE, except })
        for (const user of users) {
          // Rows of both kinds come by id.
          addBefore(user.id)
          addUser(user)
        }
        last = users.at(-1)?.id
        if (last === undefined) break
        await yieldToEventLoop()
      }
      addBefore(undefined)
      function addBefore(id: string | undefined): void {
        for (let [next] = others; next !== undefined; [next] = others) {
          if (id !== undefined && next.id > id) return
          others.shift()
          add(next)
        }
      }
      function addUser(user: ActiveUser): void {
        const found = reasonsOf(user, stateOf)
        if (found.length > 0) add(rowOf(user, found))
      }
      const next = rows.length > limit ? (rows[limit - 1]?.id ?? null) : null
      return { total, counts: Object.fromEntries(counts), rows: rows.slice(0, limit), next }
    },

    async compare(tenant, rows, { takenAt, force = false } = {}) {
      const now = runtime.now()
      const missed: string[] = []
      const found: string[] = []
      const answer = await compareDirectory({
        store,
        tenant,
        rows,
        ...(takenAt !== undefined && { takenAt }),
        onUser: (id, isListed) => (isListed ? found : missed).push(id),
      })
      if (!answer.suspicious || force) await activity.missed(tenant, { at: now, missed, found })
      return answer
    },
  }
}

function rowOf(user: ActiveUser, reasons: readonly FoundReason[]): ReconcileRow {
  const { id, userName, externalId, active, activity } = user
  const source = activity?.source ?? null
  return {
    id,
    userName,
    externalId,
    active,
    reasons,
    lastSeenAt: activity?.lastSeenAt ?? null,
    lastWrittenAt: activity?.lastWrittenAt ?? null,
    connectionId: source?.startsWith('connection:') === true ? source.slice(11) : null,
  }
}

/** The host's accounts, and what a directory was refused because of them. */
async function unmanagedRows(
  { store, unmanaged }: ReconciliationOptions,
  tenant: string,
): Promise<ReconcileRow[]> {
  const accounts = (await unmanaged?.(tenant)) ?? []
  const ids = accounts.map(({ userName }) => refusedCreateOf(fold(userName)))
  const known = await store.activity?.get(tenant, ids)
  return accounts
    .map(({ id, userName, active, created, isSuperuser }): ReconcileRow => {
      const {
        refusal = null,
        refusedSince = null,
        lastSeenAt = null,
      } = known?.get(refusedCreateOf(fold(userName))) ?? {}
      const reasons: FoundReason[] = [
        { reason: 'unmanaged', since: created, detail: isSuperuser ? 'superuser' : null },
      ]
      if (refusal !== null) {
        reasons.push({ reason: 'refused-create', since: refusedSince, detail: refusal.detail })
      }
      const nothing = { externalId: null, lastWrittenAt: null, connectionId: null }
      return { id, userName, active, reasons, lastSeenAt, ...nothing }
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
