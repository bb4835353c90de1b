import { append } from '@x/wire'
import { findReferences } from '../catalog/references.ts'
import { cloneJson, isPlainObject, ownValue, type JsonObject } from '../json.ts'
import {
  surfaceUpdate,
  type ComponentInstance,
  type DataModelUpdate,
  type ServerMessage,
  type SurfaceUpdate,
} from '../message/v08/messages.ts'
import { dataMessages } from '../message/v08/data-messages.ts'
import { parseDataPath } from '../data/data-path.ts'
import { mapFromJson } from '../data/data-value.ts'
import { DistinctIds } from '../message/v08/distinct-ids.ts'
import type { SurfaceStore } from '../store/store.ts'
import type { SurfaceState } from '../store/surface.ts'
import { initialBindings } from '../message/v08/initial-bindings.ts'
import { createMirror } from './mirror.ts'

/** Levels of `valueMap` supported by the public web client. */
const MAX_DEPTH = 5

/**
 * Equivalent messages that do not depend on earlier ones: a component update contains everything it
 * refers to, a data update all entries of its location.
 * @param options.store the receiver's state; default: empty
 */
export function toSelfContained(
  messages: Iterable<ServerMessage>,
  options: { store?: SurfaceStore } = {},
): ServerMessage[] {
  const { store } = options
  const known = (store?.surfaceIds() ?? []).flatMap((id) => store?.get(id) ?? [])
  return convertAll(messages, createMirror(known))
}

/** The same for one surface whose state at the receiver is `before`. */
export function makeSelfContained(
  messages: Iterable<ServerMessage>,
  before: SurfaceState | null,
): ServerMessage[] {
  return convertAll(messages, createMirror(before === null ? [] : [before]))
}

function convertAll(messages: Iterable<ServerMessage>, mirror: SurfaceStore): ServerMessage[] {
  return withDistinctIds(repeatAll(messages, mirror), mirror)
}

/** Gives other ids to components whose id is also a text of their surface. */
function withDistinctIds(messages: readonly ServerMessage[], after: SurfaceStore): ServerMessage[] {
  const surfaces = new Map<string, DistinctIds>()
  for (const message of messages) {
    if (!('surfaceUpdate' in message)) continue
    const { surfaceId, components } = message.surfaceUpdate
    const ids = surfaces.get(surfaceId) ?? new DistinctIds()
    if (!surfaces.has(surfaceId)) ids.update(after.get(surfaceId)?.components ?? [])
    ids.update(components)
    surfaces.set(surfaceId, ids)
  }
  return messages.map((message) => {
    const [{ surfaceId }] = Object.values(message) as [{ surfaceId: string }]
    const ids = surfaces.get(surfaceId)
    if (ids === undefined) return message
    if ('beginRendering' in message) {
      const { beginRendering: begin } = message
      return { beginRendering: { ...begin, root: ids.shown(begin.root) } }
    }
    if (!('surfaceUpdate' in message)) return message
    const { components } = message.surfaceUpdate
    return surfaceUpdate(
      surfaceId,
      components.flatMap((one) => ids.toClient(one.id, one) ?? []),
    )
  })
}

function repeatAll(messages: Iterable<ServerMessage>, mirror: SurfaceStore): ServerMessage[] {
  const converted: ServerMessage[] = []
  for (const message of messages) {
    if ('surfaceUpdate' in message) append(converted, convertUpdate(message.surfaceUpdate, mirror))
    else if ('dataModelUpdate' in message) {
      append(converted, convertData(message.dataModelUpdate, mirror))
    } else {
      if ('deleteSurface' in message) mirror.apply(message)
      converted.push(message)
    }
  }
  return converted
}

function convertUpdate(
  { surfaceId, components }: SurfaceUpdate,
  mirror: SurfaceStore,
): ServerMessage[] {
  const before = mirror.get(surfaceId)?.data
  mirror.apply(surfaceUpdate(surfaceId, components))
  const view = mirror.get(surfaceId)
  const known = new Map((view?.components ?? components).map((one) => [one.id, one]))
  const messages = [
    surfaceUpdate(surfaceId, withReferenced(components, known).map(withoutLiterals)),
  ]
  if (!components.some((component) => initialBindings(component).length > 0)) return messages
  const data = view?.data ?? {}
  const touched = initialPaths(components).filter(
    (path) => mirror.getData(surfaceId, path) !== undefined,
  )
  if (before !== undefined && touched.length === 0) return messages
  return [...messages, ...dataMessages(surfaceId, mapFromJson(data), MAX_DEPTH)]
}

function initialPaths(components: readonly ComponentInstance[]): string[] {
  return components.flatMap((component) => initialBindings(component).map((one) => one.pathText))
}

/** The components followed by everything they refer to. */
function withReferenced(
  components: readonly ComponentInstance[],
  known: ReadonlyMap<string, ComponentInstance>,
): ComponentInstance[] {
  const result = new Map<string, ComponentInstance>()
  for (const { id } of components) {
    const latest = known.get(id)
    if (latest !== undefined) result.set(id, latest)
  }
  for (const instance of result.values()) {
    for (const properties of Object.values(instance.component)) {
      for (const { componentId } of findReferences(null, properties)) {
        const child = known.get(componentId)
        if (child !== undefined && !result.has(componentId)) result.set(componentId, child)
      }
    }
  }
  return [...result.values()]
}

/** The component without its initial values, which are in the data. */
function withoutLiterals(instance: ComponentInstance): ComponentInstance {
  const initial = initialBindings(instance)
  if (initial.length === 0) return instance
  const copy = cloneJson(instance)
  for (const properties of Object.values(copy.component)) {
    for (const { place } of initial) stripLiteral(properties, place)
  }
  return copy
}

function stripLiteral(properties: JsonObject, place: readonly (string | number)[]): void {
  let value: unknown = properties
  for (const key of place) {
    value = typeof value === 'object' && value !== null ? ownValue(value, String(key)) : undefined
  }
  if (!isPlainObject(value)) return
  for (const name of Object.keys(value)) if (name !== 'path') delete value[name]
}

function convertData(update: DataModelUpdate, mirror: SurfaceStore): ServerMessage[] {
  const { surfaceId, path = '' } = update
  const { applied } = mirror.apply({ dataModelUpdate: update })
  if (!applied) return [{ dataModelUpdate: update }]
  const { segments } = parseDataPath(path)
  const now = mirror.getData(surfaceId, path)
  if (!isPlainObject(now)) return [{ dataModelUpdate: update }]
  return dataMessages(surfaceId, mapFromJson(now), MAX_DEPTH, segments)
}
