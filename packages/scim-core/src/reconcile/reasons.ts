import type { ActiveUser } from '../store/activity.ts'

/** Why a user may be active although no directory answers for it. */
export type ReconcileReason =
  | 'not-listed'
  | 'refused-write'
  | 'connection-gone'
  | 'credential-expired'
  | 'connection-silent'
  | 'never-confirmed'
  | 'unmanaged'
  | 'refused-create'

export const RECONCILE_REASONS: readonly ReconcileReason[] = [
  'not-listed',
  'refused-write',
  'connection-gone',
  'credential-expired',
  'connection-silent',
  'never-confirmed',
  'unmanaged',
  'refused-create',
]

/** A reason with its begin. */
export interface FoundReason {
  readonly reason: ReconcileReason
  /** null: not known. */
  readonly since: Date | null
  readonly detail: string | null
}

/** Why the connection or token that wrote a user last can no longer do so; null: it can. */
export type SourceState = (source: string, lastWrittenAt: Date | null) => FoundReason | null

/** The reasons of a user, in the order of `RECONCILE_REASONS`. */
export function reasonsOf(user: ActiveUser, stateOf: SourceState): readonly FoundReason[] {
  const { activity } = user
  if (activity === null) return [neverConfirmed(user)]
  const { missedSince, refusal, refusedSince, source, lastSeenAt, lastWrittenAt } = activity
  const found: FoundReason[] = []
  if (missedSince !== null && user.active) {
    found.push({ reason: 'not-listed', since: missedSince, detail: null })
  }
  if (refusal !== null) {
    const { status, scimType, detail } = refusal
    const text = [status, scimType, detail].filter((part) => part !== null && part !== '').join(' ')
    found.push({ reason: 'refused-write', since: refusedSince, detail: text })
  }
  const lost = source === null ? null : stateOf(source, lastWrittenAt)
  if (lost !== null) found.push(lost)
  if (lastSeenAt === null) found.push(neverConfirmed(user))
  return found
}

function neverConfirmed({ created }: ActiveUser): FoundReason {
  return { reason: 'never-confirmed', since: created, detail: null }
}
