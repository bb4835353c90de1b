import { append } from '@x/wire'
import { formatPointer } from '../../json.ts'
import type { ServerMessage } from './messages.ts'
import { asMap, isContainer, type DataMap } from '../../data/data-value.ts'
import { dataToEntries } from './entries.ts'

/**
 * Messages that set the whole model, or the value at `start`, to `data`. Values nested deeper than
 * `maximumDepth` levels of `valueMap` follow in messages with a path.
 */
export function dataMessages(
  surfaceId: string,
  data: DataMap,
  maximumDepth: number,
  start: readonly string[] = [],
): ServerMessage[] {
  const messages: ServerMessage[] = []
  const waiting: { segments: readonly string[]; map: DataMap }[] = [{ segments: start, map: data }]
  for (const { segments, map } of waiting) {
    const later: { segments: string[]; map: DataMap }[] = []
    const contents = dataToEntries(prune(map, { segments, depth: maximumDepth, later }))
    const path = segments.length === 0 ? {} : { path: formatPointer(segments) }
    messages.push({ dataModelUpdate: { surfaceId, ...path, contents } })
    append(waiting, later)
  }
  return messages
}

interface Cut {
  readonly segments: readonly string[]
  /** Remaining levels of `valueMap`. */
  readonly depth: number
  readonly later: { segments: string[]; map: DataMap }[]
}

function prune(map: DataMap, { segments, depth, later }: Cut): DataMap {
  const kept: DataMap = new Map()
  for (const [key, value] of map) {
    if (!isContainer(value)) kept.set(key, value)
    else {
      const inner = asMap(value)
      const place = [...segments, key]
      if (depth > 1 || !holdsMaps(inner)) {
        kept.set(key, prune(inner, { segments: place, depth: depth - 1, later }))
      } else {
        // The key keeps its position; its content follows later.
        kept.set(key, new Map())
        later.push({ segments: place, map: inner })
      }
    }
  }
  return kept
}

function holdsMaps(map: DataMap): boolean {
  for (const value of map.values()) if (isContainer(value)) return true
  return false
}
