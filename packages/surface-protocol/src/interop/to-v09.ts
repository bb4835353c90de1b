import { initialBindings } from '../build/initial-data.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import {
  cloneJson,
  formatPointer,
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
import { createConversionLog, sizeOfJson, type ConversionDiagnostics } from './conversion-log.ts'
import { componentToV09 } from './component-to-v09.ts'
import { lossy, V09, V09_CATALOG_ID } from './v09.ts'

/** Converts one message after the other. */
export interface V09Adapter {
  push(message: ServerMessage): JsonObject[]
  /** What was lost so far. */
  readonly diagnostics: ConversionDiagnostics
}

interface Shown {
  root: string
}

/** Messages of version 0.9 for messages of version 0.8 (SP-81). */
export function createV09Adapter(): V09Adapter {
  const waiting = new Map<string, Waiting>()
  const shown = new Map<string, Shown>()
  const log = createConversionLog()
  let buffered = 0

  const isTooMany = (surfaceId: string): boolean =>
    !shown.has(surfaceId) &&
    !waiting.has(surfaceId) &&
    shown.size + waiting.size >= defaultLimits.surfaces

  const hold = (surfaceId: string, message: ServerMessage): void => {
    const size = sizeOfJson(message)
    if (buffered + size > defaultLimits.bufferedSize) {
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
      log.note(lossy('A surface that is shown cannot begin anew.', surfaceId))
      return []
    }
    const surface = { root }
    shown.set(surfaceId, surface)
    const held = release(surfaceId)
    const { font, ...theme } = styles ?? {}
    if (font !== undefined) log.note(lossy('The style font is unknown there.', surfaceId))
    const created = {
      surfaceId,
      catalogId: catalogId === STANDARD_CATALOG_ID ? V09_CATALOG_ID : catalogId,
      ...(Object.keys(theme).length === 0 ? {} : { theme: cloneJson(theme) }),
    }
    return [{ version: V09, createSurface: created }, ...convertHeld(held, surface)]
  }

  const convert = (message: ServerMessage, surface: Shown): JsonObject[] => {
    if ('surfaceUpdate' in message) return convertComponents(message.surfaceUpdate, surface)
    return 'dataModelUpdate' in message ? convertData(message.dataModelUpdate) : []
  }

  /** Everything about data first, then the components. */
  const convertHeld = (held: readonly ServerMessage[], surface: Shown): JsonObject[] => {
    const all = held.flatMap((message) => convert(message, surface))
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
    diagnostics: log.diagnostics,
    push(message) {
      const { diagnostics } = validateMessage(message, { mode: 'tolerant' })
      const wrong = diagnostics.find(({ severity }) => severity === 'error')
      if (wrong === undefined) return push(message)
      log.note(wrong)
      return []
    },
  }
}

interface Waiting {
  readonly messages: ServerMessage[]
  size: number
}

/** Converts a whole list of messages. */
export function convertToV09(messages: Iterable<ServerMessage>): {
  messages: JsonObject[]
  diagnostics: ConversionDiagnostics
} {
  const adapter = createV09Adapter()
  const converted = Array.from(messages, (message) => adapter.push(message)).flat()
  return { messages: converted, diagnostics: adapter.diagnostics }
}

function convertComponents(
  { surfaceId, components }: SurfaceUpdate,
  { root }: Shown,
): JsonObject[] {
  const rename = (id: string): string => {
    if (id === root) return 'root'
    return id === 'root' ? 'root_' : id
  }
  const initial = components.flatMap(initialBindings).map(({ path, literal }) => {
    const location = formatPointer(path?.segments ?? [])
    return setValue(surfaceId, location, literal ?? null)
  })
  const converted = components.map((component) => componentToV09(component, rename))
  return [...initial, { version: V09, updateComponents: { surfaceId, components: converted } }]
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
