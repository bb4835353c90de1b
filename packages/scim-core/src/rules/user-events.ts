import { type Call } from './call.ts'
import { changePayload, documents, pending, type PendingEvent } from './pending-event.ts'
import type { UserRecord } from '../store/users.ts'

/** The operation that changed the user. */
export type Reason = 'put' | 'patch' | 'delete'

export function createdEvent({ presenter, trace }: Call, user: UserRecord): PendingEvent {
  const { adopted } = trace
  const payload = () => {
    const after = documents({ after: () => presenter.user(user) })
    if (adopted === undefined) return after
    return Object.defineProperty(after, 'adopted', { enumerable: true, value: adopted })
  }
  const more = adopted === undefined ? '' : `,"adopted":"${adopted}"`
  return pending('user.created', user.id, payload, {
    texts: () => [`{"after":${presenter.user(user)}${more}}`],
  })
}

export function changeEvents(
  { presenter }: Call,
  change: {
    readonly before: UserRecord
    readonly after: UserRecord
    readonly changed: readonly string[]
    readonly reason: Reason
  },
): readonly PendingEvent[] {
  const { before, after, changed, reason } = change
  const op = reason === 'put' ? 'put' : 'patch'
  const texts = (): string[] => [
    `{"before":${presenter.user(before)},"after":${presenter.user(after)},"changed":${JSON.stringify(changed)}}`,
  ]
  const updated = pending(
    'user.updated',
    after.id,
    () =>
      changePayload(changed, {
        before: () => presenter.user(before),
        after: () => presenter.user(after),
      }),
    { op, texts },
  )
  const was = before.active === true
  const is = after.active === true
  if (was === is) return [updated]
  return [
    updated,
    pending(is ? 'user.activated' : 'user.deactivated', after.id, () => ({ reason }), { op }),
  ]
}

/** The events of a user that is removed or becomes a tombstone, followed by those of the groups left. */
export function deletedEvents(
  { id, active }: UserRecord,
  mode: 'tombstone' | 'remove',
): readonly PendingEvent[] {
  const deleted = pending('user.deleted', id, () => ({ mode }))
  if (active !== true) return [deleted]
  return [pending('user.deactivated', id, () => ({ reason: 'delete' as const })), deleted]
}

/** The event of a group a removed user has left. */
export function leftEvent(groupId: string, userId: string): PendingEvent {
  return pending('group.members.changed', groupId, () => ({
    added: [],
    removed: [userId],
    addedCount: 0,
    removedCount: 1,
  }))
}
