import { append } from '@x/wire'
import {
  equalJson,
  formatPointer,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import { dataModelUpdate, type ServerMessage } from '../message/v08/messages.ts'
import { dataMessages } from '../message/v08/data-messages.ts'
import { mapFromJson } from '../data/data-value.ts'

/**
 * The messages that turn the data `before` into `after`: one for each location whose keys changed.
 * Messages can neither set a single key at the root nor remove one, so such a change resends everything,
 * and a removal elsewhere resends the parent.
 */
export function diffData(
  surfaceId: string,
  before: JsonObject,
  after: JsonObject,
): ServerMessage[] {
  if (equalJson(before, after)) return []
  const updates: Update[] = []
  const compared = compare(before, after, { segments: [], updates })
  if (compared === 'reset') {
    return dataMessages(surfaceId, mapFromJson(after), defaultLimits.dataDepth)
  }
  return updates.map(({ segments, contents }) =>
    dataModelUpdate(surfaceId, contents, formatPointer(segments)),
  )
}

interface Update {
  readonly segments: readonly string[]
  readonly contents: JsonObject
}

interface Place {
  readonly segments: readonly string[]
  readonly updates: Update[]
}

/** Records what has to be sent; `reset` if the location itself has to be set again. */
function compare(before: JsonObject, after: JsonObject, place: Place): 'done' | 'reset' {
  const { segments, updates } = place
  for (const key of Object.keys(before)) {
    if (isSet(ownValue(before, key)) && !isSet(ownValue(after, key))) return 'reset'
  }
  const top = segments.length === 0
  const contents: JsonObject = {}
  const inner: Update[] = []
  for (const [key, value] of Object.entries(after)) {
    const old = ownValue(before, key)
    if (!isSet(value) || equalJson(old, value)) continue
    if (isMap(old) && isMap(value) && isAddressable([...segments, key])) {
      const deeper: Update[] = []
      if (compare(old, value, { segments: [...segments, key], updates: deeper }) === 'done') {
        append(inner, deeper)
        continue
      }
    }
    if (top) return 'reset'
    setOwn(contents, key, value)
  }
  if (Object.keys(contents).length > 0) updates.push({ segments, contents })
  append(updates, inner)
  return 'done'
}

/** Null cannot be sent; it counts as absent. */
function isSet(value: unknown): value is JsonValue {
  return value !== undefined && value !== null
}

function isMap(value: unknown): value is JsonObject {
  return isPlainObject(value)
}

/** The empty key has no path, and paths are limited. */
function isAddressable(segments: readonly string[]): boolean {
  return (
    !segments.includes('') &&
    segments.length <= defaultLimits.pathSegments &&
    formatPointer(segments).length <= defaultLimits.pathLength
  )
}
