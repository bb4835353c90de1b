import type { OutboxRow } from '../store/outbox.ts'
import type { Call, PendingEvent, Rules } from './call.ts'

/**
 * The rows that announce the events of one request (SH-18). Those about one resource are one set, but each
 * further part of a change of members is a set of its own (SH-30, SH-31).
 */
export function outboxRows(
  { config }: Rules,
  { tenant, requestId, actor, now, isInProcess }: Call,
  events: readonly PendingEvent[],
): OutboxRow[] {
  const at = now.toISOString()
  const sets = new Map<string, string>()
  return events.flatMap((event) =>
    event.texts().map((data, part) => {
      const { name: type, resourceType, id: resourceId } = event
      const id = timedUuid(config.runtime.uuid(), now)
      const setId = part > 0 ? id : (sets.get(resourceId) ?? id)
      if (part === 0) sets.set(resourceId, setId)
      const op = isInProcess ? 'patch' : event.op
      return {
        id,
        tenant,
        type,
        resourceType,
        resourceId,
        at,
        requestId,
        actor,
        setId,
        op,
        data,
      }
    }),
  )
}

/**
 * A UUID with its first 48 bits replaced by the time (version 7, RFC 9562): ids of events that are written one after
 * the other stand together in the index, so that a commit writes fewer pages.
 */
function timedUuid(random: string, at: Date): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
