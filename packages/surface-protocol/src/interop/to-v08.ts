import { isSurfaceError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject, ownValue, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import {
  beginRendering,
  dataModelUpdate,
  deleteSurface,
  surfaceUpdate,
  type ServerMessage,
} from '../message/v08/messages.ts'
import { readDataPath } from '../data/data-path.ts'
import { formatDataPath } from '../data/data-path.ts'
import { formatEntries } from '../message/v08/entries.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import {
  createConversionLog,
  isDeeper,
  sizeOfJson,
  type ConversionDiagnostics,
} from './conversion-log.ts'
import { componentToV08 } from './component-to-v08.ts'
import { lossy, V09_CATALOG_ID } from './v09.ts'

/** Converts one message after the other. */
export interface V08Adapter {
  push(message: unknown): ServerMessage[]
  /** What was lost so far. */
  readonly diagnostics: ConversionDiagnostics
}

interface Surface {
  readonly catalogId: string | undefined
  readonly styles: JsonObject | undefined
  /** Whether its message was seen: only then it will begin. */
  readonly created: boolean
  begun: boolean
  /** Whether data wait for the surface to begin: each key at the root costs the whole model. */
  holdsData: boolean
  data: JsonObject
  /** Size of the values that were written so far; what was overwritten counts too. */
  written: number
}

/** Messages of version 0.8 for messages of version 0.9 (SP-82). What cannot be read is noted and left out. */
export function createV08Adapter(): V08Adapter {
  const surfaces = new Map<string, Surface>()
  const log = createConversionLog()
  const note = (found: SurfaceDiagnostic): void => log.note(found)

  /** Remembers a surface unless there are too many. */
  const remember = (surfaceId: string, surface: Surface): boolean => {
    if (!surfaces.has(surfaceId) && surfaces.size >= defaultLimits.surfaces) {
      log.exceeds('surfaces', surfaceId)
      return false
    }
    surfaces.set(surfaceId, surface)
    return true
  }

  const convert = (message: Record<string, unknown>): ServerMessage[] => {
    const created = payloadOf(message, 'createSurface')
    if (created !== null) {
      if (!remember(created.surfaceId, createdSurface(created.payload))) return []
      if (created.payload.sendDataModel === true) {
        note(lossy('The data model is not sent back.', created.surfaceId))
      }
      return []
    }
    const deleted = payloadOf(message, 'deleteSurface')
    if (deleted !== null) {
      surfaces.delete(deleted.surfaceId)
      return [deleteSurface(deleted.surfaceId)]
    }
    const components = payloadOf(message, 'updateComponents')
    if (components !== null) return updateComponents(components)
    const data = payloadOf(message, 'updateDataModel')
    if (data !== null) return updateData(data)
    note(lossy('A message has no form there.', ''))
    return []
  }

  const updateComponents = ({ surfaceId, payload }: Payload): ServerMessage[] => {
    const list: readonly unknown[] = Array.isArray(payload.components) ? payload.components : []
    const lose = (what: string): void => {
      note(lossy(`${what.slice(0, 80)} has no form there.`, surfaceId))
    }
    const components = list.flatMap((one) => componentToV08(one, lose) ?? [])
    if (components.length === 0) return []
    const messages = [surfaceUpdate(surfaceId, components)]
    const surface = surfaces.get(surfaceId)
    if (surface === undefined || surface.begun || !components.some(({ id }) => id === 'root')) {
      return messages
    }
    surface.begun = true
    const { catalogId, styles } = surface
    const begin = beginRendering({
      surfaceId,
      root: 'root',
      ...(catalogId === undefined ? {} : { catalogId }),
      ...(styles === undefined ? {} : { styles }),
    })
    const data = surface.holdsData ? [wholeModel(surfaceId, surface)] : []
    surface.holdsData = false
    return [...data, ...messages, begin]
  }

  const wholeModel = (surfaceId: string, { data }: Surface): ServerMessage => {
    const onDiagnostic = (found: SurfaceDiagnostic): void => note({ ...found, surfaceId })
    return dataModelUpdate(surfaceId, formatEntries(data, { onDiagnostic }))
  }

  const updateData = ({ surfaceId, payload }: Payload): ServerMessage[] => {
    const surface = surfaces.get(surfaceId) ?? createdSurface({})
    if (!remember(surfaceId, surface)) return []
    const path = readDataPath(typeof payload.path === 'string' ? payload.path : '/')
    if (path === null || path.segments.length > defaultLimits.pathSegments) {
      note(lossy('A path cannot be read.', surfaceId))
      return []
    }
    const onDiagnostic = (found: SurfaceDiagnostic): void => {
      note({ ...found, surfaceId })
    }
    const { segments } = path
    surface.written += sizeOfJson(payload)
    if (surface.written > defaultLimits.dataSize) {
      // Much may have been overwritten since it was counted last.
      surface.written = sizeOfJson(surface.data) + sizeOfJson(payload)
      if (surface.written > defaultLimits.dataSize) {
        surface.written -= sizeOfJson(payload)
        log.exceeds('dataSize', surfaceId)
        return []
      }
    }
    const value = (ownValue(payload, 'value') ?? null) as JsonValue
    setAt(surface, segments, value)
    const removes = value === null
    const place = segments.slice(0, removes ? -2 : -1)
    if (surface.created && !surface.begun) {
      surface.holdsData = true
      return []
    }
    if (place.length === 0) return [wholeModel(surfaceId, surface)]
    const key = segments[place.length] ?? ''
    const contents: JsonObject = {}
    setOwn(contents, key, valueAt(surface.data, [...place, key]))
    return [
      dataModelUpdate(surfaceId, formatEntries(contents, { onDiagnostic }), formatDataPath(place)),
    ]
  }

  return {
    diagnostics: log.diagnostics,
    push(message) {
      if (!isPlainObject(message)) return []
      if (isDeeper(message, defaultLimits.jsonDepth)) {
        log.exceeds('jsonDepth')
        return []
      }
      try {
        return convert(message)
      } catch (error) {
        if (!isSurfaceError(error)) throw error
        note(lossy(error.detail, ''))
        return []
      }
    },
  }
}

/** Converts a whole list of messages. */
export function convertToV08(messages: Iterable<unknown>): {
  messages: ServerMessage[]
  diagnostics: ConversionDiagnostics
} {
  const adapter = createV08Adapter()
  const converted = Array.from(messages, (message) => adapter.push(message)).flat()
  return { messages: converted, diagnostics: adapter.diagnostics }
}

interface Payload {
  readonly surfaceId: string
  readonly payload: Record<string, unknown>
}

function payloadOf(message: Record<string, unknown>, key: string): Payload | null {
  const payload = ownValue(message, key)
  if (!isPlainObject(payload) || typeof payload.surfaceId !== 'string') return null
  return { surfaceId: payload.surfaceId, payload }
}

function createdSurface({ catalogId, theme }: Record<string, unknown>): Surface {
  const created = catalogId !== undefined
  const standard = catalogId === V09_CATALOG_ID || catalogId === STANDARD_CATALOG_ID
  return {
    catalogId: typeof catalogId !== 'string' || standard ? undefined : catalogId,
    styles: isPlainObject(theme) ? (theme as JsonObject) : undefined,
    created,
    begun: false,
    holdsData: false,
    data: {},
    written: 0,
  }
}

function setAt(surface: Surface, segments: readonly string[], value: JsonValue): void {
  if (segments.length === 0) {
    surface.data = isPlainObject(value) ? toMaps(value) : {}
    return
  }
  let container = surface.data
  for (const segment of segments.slice(0, -1)) {
    const next = ownValue(container, segment)
    const made: JsonObject = isPlainObject(next) ? (next as JsonObject) : {}
    setOwn(container, segment, made)
    container = made
  }
  const key = segments.at(-1) ?? ''
  if (value === null) delete container[key]
  else setOwn(container, key, toMap(value))
}

/** Arrays become maps with decimal keys, in order (SP-82). */
function toMap(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return toMaps(value)
  return toMaps(Object.fromEntries(value.map((item, index) => [String(index), item])))
}

function toMaps(value: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value))
    if (item !== null) setOwn(result, key, toMap(item))
  return result
}

function valueAt(data: JsonObject, segments: readonly string[]): JsonValue {
  let value: unknown = data
  for (const segment of segments)
    value = isPlainObject(value) ? ownValue(value, segment) : undefined
  return (value ?? {}) as JsonValue
}
