import { formatDataPath, readDataPath, type DataPath } from '../data/data-path.ts'
import { pathLocation } from '../functions/evaluate.ts'
import type { Definition } from '../graph/definition.ts'
import { plainSyntax } from '../functions/value-syntax.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import { stateOfStore, type AnySurfaceStore } from '../store/store.ts'
import { ensureTree } from '../store/surface.ts'
import { isWritten, type SurfaceTimes } from './surface-times.ts'

type Location = readonly string[]

/**
 * The messages that bring a viewer of 0.9.1 from a message of its channel to the present state: surfaces that it has keep
 * what the user typed where the server has not written since.
 */
export function catchUp(
  store: AnySurfaceStore,
  times: SurfaceTimes,
  { since, isMirror }: { readonly since: number; readonly isMirror: boolean },
): AnyServerMessage[] {
  const version = versionOf(store)
  const deletion = (surfaceId: string): JsonObject => ({ version, deleteSurface: { surfaceId } })
  const present = store.surfaceIds()
  const removed = times.removedSince(since).filter((id) => !present.includes(id))
  const messages: object[] = removed.map(deletion)
  for (const surfaceId of present) {
    const state = store.snapshot(surfaceId) as JsonObject[]
    const inputs = times.isKept(surfaceId, since) ? inputsOf(store, surfaceId, isMirror) : null
    if (inputs === null) {
      messages.push(deletion(surfaceId), ...state)
      continue
    }
    const written = times.writtenSince(surfaceId, since)
    const kept = inputs.filter((location) => !isWritten(location, written))
    const data = dataOf(store.getData(surfaceId) ?? {}, kept, written)
    const updates = data.map((update) => ({
      version,
      updateDataModel: { surfaceId, ...update },
    }))
    messages.push(...updates, ...state.filter((message) => 'updateComponents' in message))
  }
  return messages as AnyServerMessage[]
}

function versionOf(store: AnySurfaceStore): string {
  return `v${store.version}`
}

/**
 * The locations that inputs write: those of their bound `value`. A mirror knows no catalog and so no templates; null if
 * there is one with inputs.
 */
function inputsOf(store: AnySurfaceStore, surfaceId: string, isMirror: boolean): Location[] | null {
  const { surfaces, settings } = stateOfStore(store)
  const surface = surfaces.get(surfaceId)
  if (surface === undefined) return null
  const { pathOf } = settings.evaluator?.syntax ?? plainSyntax
  const pathIn = (definition: Definition | null): DataPath | null => {
    const value = definition?.properties.value
    const text = value === undefined ? undefined : pathOf(value)
    return text === undefined ? null : readDataPath(text)
  }
  if (!isMirror) {
    return (ensureTree(surface, settings)?.instances() ?? []).flatMap(({ definition, scope }) => {
      const path = pathIn(definition)
      return path === null ? [] : [pathLocation(path, scope.segments)]
    })
  }
  const paths = Array.from(surface.graph.definitions.values(), pathIn).filter((one) => one !== null)
  return paths.every(({ absolute }) => absolute) ? paths.map(({ segments }) => segments) : null
}

/** Updates of everything but the kept locations. */
function dataOf(
  data: JsonValue,
  kept: readonly Location[],
  written: readonly Location[],
): { path: string; value?: JsonValue }[] {
  const updates: { path: string; value?: JsonValue }[] = []
  const write = (value: JsonValue, at: Location, inside: readonly Location[]): void => {
    if (inside.some((location) => location.length === at.length)) return
    if (inside.length === 0 || typeof value !== 'object' || value === null) {
      updates.push({ path: at.length === 0 ? '/' : formatDataPath(at), value })
      return
    }
    for (const [key, member] of Object.entries(value)) {
      const within = inside.filter((location) => location[at.length] === key)
      write(member, [...at, key], within)
    }
  }
  write(data, [], kept)
  if (kept.length === 0) return updates
  const removed = written.filter((location) => memberAt(data, location) === undefined)
  return [...updates, ...removed.map((location) => ({ path: formatDataPath(location) }))]
}

function memberAt(data: JsonValue, location: Location): JsonValue | undefined {
  let value: JsonValue | undefined = data
  for (const key of location) {
    if (Array.isArray(value)) value = value[Number(key)]
    else value = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}
