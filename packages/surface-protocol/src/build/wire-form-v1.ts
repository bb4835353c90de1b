import { basicCatalogV1 } from '../catalog/v1/basic-catalog-v1.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { ownValue } from '../json.ts'
import { readDataPath, formatDataPath } from '../data/data-path.ts'
import { diffDataV09, type DataDifference } from '../data/diff-data-v09.ts'
import type { LaterParts } from './later-parts.ts'
import { componentPayloads } from './wire-form-later.ts'

/** The wire form of version 1.0. */
export const wireFormV1: LaterParts = {
  version: 'v1.0',
  catalog: basicCatalogV1,
  dataFirst: false,
  binding: (path) => ({ '@path': path }),
  call: (name, args) => ({ '@call': name, args }),
  create({ surfaceId, settings, components, data }, componentsPerMessage) {
    const created: JsonObject = { surfaceId, ...settings }
    if (components.length > 0) created.components = components.slice(0, componentsPerMessage)
    if (Object.keys(data).length > 0) created.dataModel = data
    const rest = components.slice(componentsPerMessage)
    const updates = componentPayloads(surfaceId, rest, componentsPerMessage)
    return [{ createSurface: created }, ...updates]
  },
  differences: (before, after) => withoutNulls(diffDataV09(before, after), after),
  removal: (path) => ({ path, value: null }),
}

/** Null values would mean removal, so their container is written instead. */
function withoutNulls(differences: readonly DataDifference[], after: JsonObject): DataDifference[] {
  const found = new Map<string, DataDifference>()
  for (const { path, value } of differences) {
    if (value === undefined) found.set(path, { path, value: null })
    else if (value !== null) found.set(path, { path, value })
    else {
      const segments = readDataPath(path)?.segments.slice(0, -1) ?? []
      const parent = segments.length === 0 ? '/' : formatDataPath(segments)
      found.set(parent, { path: parent, value: valueAt(after, segments) })
    }
  }
  return [...found.values()].filter(({ path }) => !isCovered(path, found))
}

/** Returns whether another difference writes an enclosing location. */
function isCovered(path: string, found: ReadonlyMap<string, DataDifference>): boolean {
  if (path !== '/' && found.has('/')) return true
  const parts = path.split('/')
  for (let length = parts.length - 1; length > 1; length -= 1) {
    if (found.has(parts.slice(0, length).join('/'))) return true
  }
  return false
}

function valueAt(data: JsonObject, segments: readonly string[]): JsonValue {
  let value: JsonValue = data
  for (const segment of segments) {
    value =
      typeof value === 'object' && value !== null
        ? ((ownValue(value, segment) ?? null) as JsonValue)
        : null
  }
  return value
}
