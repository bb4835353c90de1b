import { append } from '@x/wire'
import { changedNames } from '../patch/apply.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import { emitAll, type PendingEvent } from './pending-event.ts'
import { appendToOutbox } from './change-resource.ts'
import type { Service } from './service.ts'
import { changeEvents, createdEvent, deletedEvents, leftEvent } from './user-events.ts'
import { userDocument } from './user-record.ts'

/** A user write the host made through the store instead of the service. */
export interface OwnUserWrite {
  /** null: the user was created. */
  readonly before: UserRecord | null
  /** null: the user was removed. */
  readonly after: UserRecord | null
  /** Ids of the groups the removed user has left; each counts as changed. */
  readonly groupsLeft?: readonly string[]
}

/**
 * Writes the outbox rows of a change made by the running transaction `tx`. Returns a function that emits
 * its events; call it after the commit.
 */
export async function recordUserWrite(
  service: Service,
  { before, after, groupsLeft = [] }: OwnUserWrite,
  tx: ScimStore,
): Promise<() => void> {
  const { config } = service
  const tenant = (after ?? before)?.tenant
  if (tenant === undefined) return () => undefined
  const call = service.createCall({
    tenant,
    actor: null,
    requestId: config.runtime.uuid(),
    context: {},
    now: config.runtime.now(),
    ifMatch: null,
    isInProcess: true,
  })
  const events: PendingEvent[] = []
  if (after === null) {
    if (before === null) return () => undefined
    append(events, deletedEvents(before, 'remove'))
    for (const groupId of groupsLeft) events.push(leftEvent(groupId, before.id))
  } else if (before === null) events.push(createdEvent(call, after))
  else {
    const changed = changedNames(userDocument(before), userDocument(after))
    if (changed.length > 0) {
      append(events, changeEvents(call, { before, after, changed, reason: 'patch' }))
    }
  }
  if (config.outbox) await appendToOutbox(service, { call, tx }, events)
  return () => emitAll(service, call, events)
}
