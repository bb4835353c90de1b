import { ACTIVITY_MS, type ActivityNote, type ActivityStore } from '../store/activity.ts'
import type { Subject } from './audit.ts'
import type { Outcome } from './service.ts'

/** Records which users the finished requests of directories have named. */
export type RecordActivity = (subject: Subject, outcome: Outcome) => void

/** What is known to be stored of a user, so that most requests write nothing. */
interface Stored {
  readonly seenAt: number
  readonly writtenAt: number
  readonly source: string | null
  readonly refusedAt: number
}

const MAX_KNOWN = 50_000
const MAX_WAITING = 10_000
const AT_ONCE = 200
const DETAIL = 200
const WRITES: ReadonlySet<string> = new Set(['create', 'replace', 'patch', 'delete'])

/**
 * Records after the response, best effort, in groups: a request never waits for it. Uses of a user within an hour
 * are written once, and at once what changes who wrote last or whether that was refused.
 */
export function createActivityRecorder(
  store: ActivityStore,
  onError: (error: unknown) => void,
): RecordActivity {
  const known = new Map<string, Stored>()
  let waiting = new Map<string, { readonly tenant: string; readonly note: ActivityNote }>()
  let running: Promise<void> | null = null

  const write = async (): Promise<void> => {
    while (waiting.size > 0) {
      const now = waiting
      waiting = new Map()
      const byTenant = new Map<string, ActivityNote[]>()
      for (const { tenant, note } of now.values()) {
        const notes = byTenant.get(tenant) ?? []
        byTenant.set(tenant, notes)
        notes.push(note)
      }
      for (const [tenant, notes] of byTenant) {
        for (let begin = 0; begin < notes.length; begin += AT_ONCE) {
          await store.record(tenant, notes.slice(begin, begin + AT_ONCE))
        }
      }
    }
  }
  const start = (): void => {
    running ??= Promise.resolve()
      .then(write)
      .catch(onError)
      .finally(() => {
        running = null
        if (waiting.size > 0) start()
      })
  }
  const add = (tenant: string, note: ActivityNote): void => {
    const key = `${tenant}\n${note.userId}`
    const before = known.get(key)
    const next = merged(before, note)
    if (next === null) return
    known.delete(key)
    const oldest = known.size >= MAX_KNOWN ? known.keys().next() : undefined
    if (oldest?.done === false) known.delete(oldest.value)
    known.set(key, next)
    const pending = waiting.get(key)
    if (pending === undefined && waiting.size >= MAX_WAITING) return
    // A lookup adds nothing to a write of the same moment, which names the user too.
    if (note.kind === 'seen' && pending !== undefined) return
    waiting.set(key, { tenant, note })
    start()
  }

  return ({ op, resourceType, resourceId }, outcome) => {
    const { tenant, actor, connectionId, error, trace, status } = outcome
    if (tenant === null || actor === null || trace === undefined) return
    if (resourceType !== 'User' || status === 401 || status === 429 || status >= 500) return
    const at = outcome.started
    const source = connectionId === undefined ? `token:${actor}` : `connection:${connectionId}`
    if (!WRITES.has(op)) {
      const ids =
        op === 'list' || op === 'search' ? (trace.listed ?? []) : [resourceId ?? trace.resourceId]
      if (status >= 400) return
      for (const userId of ids) {
        if (userId !== null) add(tenant, { userId, at, kind: 'seen', source, refusal: null })
      }
      return
    }
    const userId = trace.account ?? trace.resourceId ?? resourceId
    if (userId === null || status === 404 || trace.isRemoved === true) return
    if (error === undefined) {
      add(tenant, { userId, at, kind: 'written', source, refusal: null })
      return
    }
    const { scimType = null, detail } = error
    const refusal = { at, status, scimType, detail: detail.slice(0, DETAIL) }
    add(tenant, { userId, at, kind: 'refused', source, refusal })
  }
}

/** null: nothing that has to be written. */
function merged(before: Stored | undefined, { at, kind, source }: ActivityNote): Stored | null {
  const now = at.getTime()
  const never = Number.NEGATIVE_INFINITY
  const stored = before ?? { seenAt: never, writtenAt: never, source: null, refusedAt: never }
  const isOld = (time: number): boolean => Math.abs(now - time) >= ACTIVITY_MS
  if (kind === 'seen') return isOld(stored.seenAt) ? { ...stored, seenAt: now } : null
  if (kind === 'refused') {
    return isOld(stored.refusedAt) ? { ...stored, seenAt: now, refusedAt: now } : null
  }
  const isSame = stored.source === source && stored.refusedAt === never
  if (before !== undefined && isSame && !isOld(stored.writtenAt)) return null
  return { seenAt: now, writtenAt: now, source, refusedAt: never }
}
