import type { Runtime } from '@x/wire'
import { instantText } from '../resource/instant-text.ts'
import type { ScimDocument } from '../base/document.ts'
import { createProjection, type Projection } from '../resource/project.ts'
import { schemaOf } from '../schema/registry.ts'
import type { OutboxRow } from '../store/outbox.ts'
import type { Call, Rules } from './call.ts'
import type { PendingEvent } from './pending-event.ts'

/**
 * The outbox rows of one request's events. Events about the same resource form a set, but each
 * further part of a membership change is a separate set.
 */
export function outboxRows(
  { config }: Rules,
  { tenant, requestId, actor, now, isInProcess }: Call,
  events: readonly PendingEvent[],
): OutboxRow[] {
  const at = instantText(now)
  const sets = new Map<string, string>()
  return events.flatMap((event) => {
    const { name: type, resourceType, id: resourceId } = event
    const projection = createProjection({}, schemaOf(config.schemas, resourceType), {})
    return event.texts().map((text, part) => {
      const data = shownData(text, projection)
      const id = eventId(now, config.runtime)
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
    })
  })
}

/** Without the attributes that GET does not show by default: rows leave the process. */
function shownData(text: string, { whole, apply }: Projection): string {
  if (whole) return text
  // The JSON was written by this package, so its documents are objects.
  const data = JSON.parse(text) as Record<string, unknown>
  for (const name of ['before', 'after']) {
    if (data[name] !== undefined) data[name] = apply(data[name] as ScimDocument)
  }
  return JSON.stringify(data)
}

/**
 * A UUID with a time in its first 48 bits (version 7, RFC 9562): ids of consecutive events are adjacent in the
 * index, so that a commit writes fewer pages, and those of a set are found by it.
 */
export function eventId(at: Date, runtime: Pick<Runtime, 'uuid'>): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${runtime.uuid().slice(15)}`
}
