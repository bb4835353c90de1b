import { initialBindings } from '../message/v08/initial-bindings.ts'
import {
  cloneJson,
  defined,
  formatPointer,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import type { DataModelUpdate, ServerMessage, SurfaceUpdate } from '../message/v08/messages.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { parseDataPath } from '../data/data-path.ts'
import { parseEntries } from '../message/v08/entries.ts'
import { validateMessage } from '../message/validate-message.ts'
import type { DataDifference } from '../data/diff-data-v09.ts'
import { quote } from '../diagnostics/errors.ts'
import { referencesOf } from '../message/v08/distinct-ids.ts'
import { ListedData } from './listed-data.ts'
import { sizeOfJson } from './conversion-log.ts'
import type { ConversionStep, StepOptions } from './conversion-step.ts'
import { componentToV09, type ComponentV09 } from './component-to-v09.ts'
import { V09, V09_CATALOG_ID } from './v09.ts'

interface RenderedSurface {
  readonly root: string
  readonly listed: ListedData
  /** Components that are bound to absolute paths, as converted, with the form sent last. */
  readonly bound: Map<string, { readonly source: JsonObject; last: string }>
}

/** The step from version 0.8 to version 0.9. */
export function createV09Steps({ log, limits, catalogAliases = {} }: StepOptions): ConversionStep {
  const waiting = new Map<string, Waiting>()
  const shown = new Map<string, RenderedSurface>()
  let buffered = 0

  const isTooMany = (surfaceId: string): boolean =>
    !shown.has(surfaceId) && !waiting.has(surfaceId) && shown.size + waiting.size >= limits.surfaces

  const hold = (surfaceId: string, message: ServerMessage): void => {
    const size = sizeOfJson(message)
    if (buffered + size > limits.bufferedSize) {
      log.exceeds('bufferedSize', surfaceId)
      return
    }
    buffered += size
    const held = waiting.get(surfaceId)
    if (held === undefined) waiting.set(surfaceId, { messages: [message], size })
    else {
      held.messages.push(message)
      held.size += size
    }
  }

  const release = (surfaceId: string): readonly ServerMessage[] => {
    const held = waiting.get(surfaceId)
    waiting.delete(surfaceId)
    buffered -= held?.size ?? 0
    return held?.messages ?? []
  }

  const begin = (payload: Extract<ServerMessage, { beginRendering: object }>['beginRendering']) => {
    const { surfaceId, root, catalogId = STANDARD_CATALOG_ID, styles } = payload
    if (shown.has(surfaceId)) {
      const message = 'A surface that is shown cannot begin anew.'
      log.lose('beginRendering', { surfaceId, path: '/beginRendering', message })
      return []
    }
    const surface: RenderedSurface = { root, listed: new ListedData(), bound: new Map() }
    shown.set(surfaceId, surface)
    const held = release(surfaceId)
    const { font, ...theme } = styles ?? {}
    if (font !== undefined) log.lose('font', { surfaceId, path: '/beginRendering/styles/font' })
    const created = {
      surfaceId,
      catalogId:
        (ownValue(catalogAliases, catalogId) ?? catalogId) === STANDARD_CATALOG_ID
          ? V09_CATALOG_ID
          : catalogId,
      ...(Object.keys(theme).length === 0 ? {} : { theme: cloneJson(theme) }),
    }
    return [{ version: V09, createSurface: created }, ...convertHeld(held, surface)]
  }

  const convert = (message: ServerMessage, surface: RenderedSurface): JsonObject[] => {
    if ('surfaceUpdate' in message) {
      const { surfaceId } = message.surfaceUpdate
      const plain = convertComponents(message.surfaceUpdate, surface)
      return surface.listed.isNeeded ? relist(surfaceId, surface, plain) : plain
    }
    if (!('dataModelUpdate' in message)) return []
    const { surfaceId, path = '', contents } = message.dataModelUpdate
    surface.listed.write(parseDataPath(path).segments, contents)
    if (surface.listed.size > limits.dataSize) {
      log.exceeds('dataSize', surfaceId)
      surface.listed.write([], [])
    }
    return surface.listed.isNeeded
      ? relist(surfaceId, surface, [])
      : convertData(message.dataModelUpdate)
  }

  /** Sends data with lists in place of the maps that templates iterate, and components whose paths changed by it. */
  const relist = (
    surfaceId: string,
    { listed, bound }: RenderedSurface,
    messages: readonly JsonObject[],
  ): JsonObject[] => {
    const lists = listed.lists()
    const given = messages.flatMap(componentsOf)
    const changed = new Map(given.map((one): [string, JsonObject] => [one.id, one]))
    for (const [id, one] of bound) {
      const lose = (path: string): void => {
        const message = `There is no entry at ${quote(path)} yet.`
        log.lose('template', { surfaceId, componentId: id, message })
      }
      const component = withPaths(one.source, (path) => {
        const found = listed.rewrite(path, lists)
        if (found === null) lose(path)
        return found ?? path
      })
      const text = JSON.stringify(component)
      if (text !== one.last || changed.has(id)) changed.set(id, component)
      one.last = text
    }
    const differences = listed.differences()
    const send = (one: DataDifference): JsonObject => ({
      version: V09,
      updateDataModel: { surfaceId, ...one, path: one.path === '' ? '/' : one.path },
    })
    const components = [...changed.values()]
    return [
      ...differences.filter(({ value }) => value !== undefined).map(send),
      ...(components.length === 0
        ? []
        : [{ version: V09, updateComponents: { surfaceId, components } }]),
      ...differences.filter(({ value }) => value === undefined).map(send),
    ]
  }

  /** Converts all data first, then the components. */
  const convertHeld = (held: readonly ServerMessage[], surface: RenderedSurface): JsonObject[] => {
    const sorted = [...held].toSorted(
      (a, b) => Number('surfaceUpdate' in a) - Number('surfaceUpdate' in b),
    )
    const all = sorted.flatMap((message) => convert(message, surface))
    if (surface.listed.isNeeded) return all
    return [
      ...all.filter((message) => 'updateDataModel' in message),
      ...all.filter((message) => 'updateComponents' in message),
    ]
  }

  const push = (message: ServerMessage): JsonObject[] => {
    if ('deleteSurface' in message) {
      const { surfaceId } = message.deleteSurface
      release(surfaceId)
      if (!shown.delete(surfaceId)) return []
      return [{ version: V09, deleteSurface: { surfaceId } }]
    }
    const [{ surfaceId }] = Object.values(message) as [{ surfaceId: string }]
    if (isTooMany(surfaceId)) {
      log.exceeds('surfaces', surfaceId)
      return []
    }
    if ('beginRendering' in message) return begin(message.beginRendering)
    const surface = shown.get(surfaceId)
    if (surface !== undefined) return convert(message, surface)
    hold(surfaceId, message)
    return []
  }

  return {
    forward(message) {
      const { diagnostics } = validateMessage(message, { mode: 'tolerant' })
      const wrong = diagnostics.find(({ severity }) => severity === 'error')
      if (wrong === undefined) return push(message as unknown as ServerMessage)
      log.note(wrong)
      return []
    },
    back: (message) => actionToV08(message, shown),
  }
}

/** Converts an action of a version 0.9 client to version 0.8, with the source's ids. */
function actionToV08(
  { action }: JsonObject,
  shown: ReadonlyMap<string, RenderedSurface>,
): JsonObject | null {
  if (!isPlainObject(action)) return null
  const { name, surfaceId, sourceComponentId, timestamp, context } = action
  const surface = typeof surfaceId === 'string' ? shown.get(surfaceId) : undefined
  const source =
    surface === undefined || typeof sourceComponentId !== 'string'
      ? sourceComponentId
      : originalId(sourceComponentId, surface)
  const fields = { name, surfaceId, sourceComponentId: source, timestamp, context }
  return { userAction: defined(fields) as JsonObject }
}

/** The id of a component in version 0.8. */
function originalId(id: string, { root }: RenderedSurface): string {
  if (id === 'root') return root
  return id === 'root_' && root !== 'root' ? 'root' : id
}

interface Waiting {
  readonly messages: ServerMessage[]
  size: number
}

function convertComponents(
  { surfaceId, components }: SurfaceUpdate,
  { root, listed, bound }: RenderedSurface,
): JsonObject[] {
  const rename = (id: string): string => {
    if (id === root) return 'root'
    return id === 'root' ? 'root_' : id
  }
  const initial = components.flatMap(initialBindings).map(({ path, literal }) => {
    const segments = path?.segments ?? []
    listed.set(segments, literal ?? null)
    return setValue(surfaceId, formatPointer(segments), literal ?? null)
  })
  const converted = components.map((component) => {
    const later = componentToV09(component, rename)
    listed.define(later, referencesOf(component).map(rename))
    const { id } = later
    if (holdsAbsolutePath(later)) bound.set(id, { source: later, last: JSON.stringify(later) })
    else bound.delete(id)
    return later
  })
  return [...initial, { version: V09, updateComponents: { surfaceId, components: converted } }]
}

function componentsOf({ updateComponents }: JsonObject): ComponentV09[] {
  const list = isPlainObject(updateComponents) ? updateComponents.components : undefined
  return Array.isArray(list) ? (list as ComponentV09[]) : []
}

function holdsAbsolutePath(component: JsonObject): boolean {
  let found = false
  withPaths(component, (path) => {
    found ||= path.startsWith('/')
    return path
  })
  return found
}

/** A copy with other paths in bindings and templates. */
function withPaths(value: JsonObject, rewrite: (path: string) => string): JsonObject
function withPaths(value: JsonValue, rewrite: (path: string) => string): JsonValue
function withPaths(value: JsonValue, rewrite: (path: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withPaths(item, rewrite))
  if (!isPlainObject(value)) return value
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    const isPath = name === 'path' && typeof member === 'string'
    setOwn(copy, name, isPath ? rewrite(member) : withPaths(member, rewrite))
  }
  return copy
}

function convertData({ surfaceId, path = '', contents }: DataModelUpdate): JsonObject[] {
  const value = parseEntries(contents)
  const { segments } = parseDataPath(path)
  if (segments.length === 0) return [setValue(surfaceId, '/', value)]
  const keys = Object.keys(value)
  if (keys.length === 0) return [setValue(surfaceId, formatPointer(segments), {})]
  return keys.map((key) => {
    const location = formatPointer([...segments, key])
    return setValue(surfaceId, location, (ownValue(value, key) ?? null) as JsonValue)
  })
}

function setValue(surfaceId: string, path: string, value: JsonValue): JsonObject {
  const update: JsonObject = { surfaceId, path }
  setOwn(update, 'value', value)
  return { version: V09, updateDataModel: update }
}
