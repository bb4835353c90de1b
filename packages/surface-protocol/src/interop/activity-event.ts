import { isPlainObject, type JsonObject } from '../json.ts'

const ACTIVITY = 'a2ui-surface'

/**
 * An AG-UI event that contains messages: a snapshot, or with `append` a delta that adds to the
 * snapshot with the same id.
 */
export function toActivityEvent(
  messages: readonly object[],
  options: { readonly messageId: string; readonly append?: boolean },
): JsonObject {
  const { messageId, append = false } = options
  const list = messages as JsonObject[]
  if (!append) {
    return {
      type: 'ACTIVITY_SNAPSHOT',
      messageId,
      activityType: ACTIVITY,
      content: { a2ui_operations: list },
      replace: true,
    }
  }
  return {
    type: 'ACTIVITY_DELTA',
    messageId,
    activityType: ACTIVITY,
    patch: list.map((value) => ({ op: 'add', path: '/a2ui_operations/-', value })),
  }
}

/** The messages of an AG-UI event, unvalidated; null for any other event. Never throws. */
export function fromActivityEvent(event: unknown): unknown[] | null {
  if (!isPlainObject(event) || event.activityType !== ACTIVITY) return null
  if (event.type === 'ACTIVITY_SNAPSHOT') {
    const { content } = event
    const list = isPlainObject(content) ? content.a2ui_operations : undefined
    return Array.isArray(list) ? [...(list as unknown[])] : null
  }
  if (event.type !== 'ACTIVITY_DELTA' || !Array.isArray(event.patch)) return null
  return (event.patch as unknown[]).flatMap((one) => {
    if (!isPlainObject(one) || one.op !== 'add' || typeof one.path !== 'string') return []
    return one.path.startsWith('/a2ui_operations/') ? [one.value] : []
  })
}
