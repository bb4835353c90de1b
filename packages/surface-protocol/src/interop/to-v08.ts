import { aliasesV09 } from '../catalog/v09/basic-catalog-ids.ts'
import { isSurfaceError } from '../diagnostics/errors.ts'
import {
  escapeSegment,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import {
  beginRendering,
  dataModelUpdate,
  deleteSurface,
  surfaceUpdate,
  type ComponentInstance,
  type ServerMessage,
} from '../message/v08/messages.ts'
import { formatDataPath, readDataPath } from '../data/data-path.ts'
import { formatEntries } from '../message/v08/entries.ts'
import { sizeOfJson } from './conversion-log.ts'
import { dataMessages } from '../message/v08/data-messages.ts'
import { DistinctIds, referencesOf, renameReferences } from '../message/v08/distinct-ids.ts'
import { fromJson, mapFromJson } from '../data/data-value.ts'
import { actionFromV08 } from './action-from-v08.ts'
import { freeId, grouped } from './labelled-input.ts'
import { holdsNull, setAt, valueAt } from './map-data.ts'
import { componentToV08, type ConvertedComponent } from './component-to-v08.ts'
import {
  asJson,
  type ConversionStep,
  type FunctionSource,
  type StepOptions,
} from './conversion-step.ts'
import { V09_CATALOG_ID } from './v09.ts'

interface Surface {
  readonly catalogId: string | undefined
  readonly styles: JsonObject | undefined
  /** True once createSurface was seen; rendering cannot begin before. */
  readonly created: boolean
  begun: boolean
  /**
   * True while data is held back until rendering begins: each key at the root would resend the whole model.
   */
  holdsData: boolean
  data: JsonObject
  /** Size of all values written so far, including overwritten ones. */
  written: number
  readonly ids: DistinctIds
  /** Components as converted, before ids and groups. */
  readonly originals: Map<string, ComponentInstance>
  /** Inputs with a label, which stand in a group, and the id of the group. */
  readonly groups: Map<string, string>
  /** Components with functions as received, and the form sent last. */
  readonly computed: Map<string, { readonly source: unknown; last: string }>
}

/** The step from version 0.9 to version 0.8. */
export function createV08Steps({
  log,
  limits,
  store,
  catalogAliases = {},
  selfContained = false,
}: StepOptions): ConversionStep {
  const surfaces = new Map<string, Surface>()

  /** Remembers a surface unless there are too many. */
  const remember = (surfaceId: string, surface: Surface): boolean => {
    if (!surfaces.has(surfaceId) && surfaces.size >= limits.surfaces) {
      log.exceeds('surfaces', surfaceId)
      return false
    }
    surfaces.set(surfaceId, surface)
    return true
  }

  const convert = (message: Record<string, unknown>): ServerMessage[] => {
    const created = payloadOf(message, 'createSurface')
    if (created !== null) {
      if (!remember(created.surfaceId, createdSurface(created.payload, catalogAliases))) return []
      noteSettings(created)
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
    if (data !== null) return [...updateData(data), ...recompute(data.surfaceId)]
    log.lose('message', { surfaceId: '', message: 'A message has no equivalent in version 0.8.' })
    return []
  }

  const noteSettings = ({ surfaceId, payload }: Payload): void => {
    if (payload.sendDataModel === true) {
      log.lose('sendDataModel', { surfaceId, path: '/createSurface/sendDataModel' })
    }
    const theme = isPlainObject(payload.theme) ? payload.theme : {}
    for (const name of Object.keys(theme)) {
      if (name === 'primaryColor') continue
      const path = `/createSurface/theme/${escapeSegment(name)}`
      log.lose(`theme.${name}`, { surfaceId, path })
    }
  }

  /** Converts a component; its functions are replaced by their values, if the store knows them. */
  const toV08 = (
    value: unknown,
    { surfaceId, at }: { surfaceId: string; at: number },
  ): { converted: ConvertedComponent | null; isComputed: boolean } => {
    const id = isPlainObject(value) && typeof value.id === 'string' ? value.id : undefined
    const about = id === undefined ? {} : { componentId: id }
    let isComputed = false
    const converted = componentToV08(value, {
      lose(what, name) {
        const path = `/updateComponents/components/${at}/${escapeSegment(name)}`
        log.lose(what, { surfaceId, ...about, path })
      },
      compute(call) {
        const result = store === undefined ? undefined : valueOf(store, surfaceId, call)
        isComputed ||= store !== undefined
        return result
      },
    })
    return { converted, isComputed }
  }

  /** Components whose functions have changed with the data. */
  const recompute = (surfaceId: string): ServerMessage[] => {
    const surface = surfaces.get(surfaceId)
    if (surface === undefined || surface.computed.size === 0) return []
    const changed: ConvertedComponent[] = []
    for (const one of surface.computed.values()) {
      const { converted } = toV08(one.source, { surfaceId, at: 0 })
      const text = JSON.stringify(converted)
      if (converted === null || text === one.last) continue
      one.last = text
      changed.push(converted)
    }
    return changed.length === 0 ? [] : sendComponents(surfaceId, surface, changed)
  }

  const updateComponents = ({ surfaceId, payload }: Payload): ServerMessage[] => {
    const list: readonly unknown[] = Array.isArray(payload.components) ? payload.components : []
    const known = surfaces.get(surfaceId)
    const surface = known ?? createdSurface({}, catalogAliases)
    const components = list.flatMap((source, at) => {
      const { converted, isComputed } = toV08(source, { surfaceId, at })
      if (converted === null) return []
      const { id } = converted.instance
      if (surface.ids.known.size >= limits.componentsPerSurface && !surface.ids.known.has(id)) {
        log.exceeds('componentsPerSurface', surfaceId)
        return []
      }
      if (
        isComputed &&
        known !== undefined &&
        surface.computed.size < limits.componentsPerMessage
      ) {
        surface.computed.set(id, { source, last: JSON.stringify(converted) })
      } else surface.computed.delete(id)
      return [converted]
    })
    if (components.length === 0) return []
    const messages = sendComponents(surfaceId, surface, components)
    const isRoot = components.some(({ instance }) => instance.id === 'root')
    if (known === undefined || surface.begun || !isRoot) return messages
    surface.begun = true
    const data = surface.holdsData ? wholeModel(surfaceId, surface) : []
    surface.holdsData = false
    return [...data, ...messages, beginOf(surfaceId, surface)]
  }

  const beginOf = (surfaceId: string, { catalogId, styles, ids, groups }: Surface) =>
    beginRendering({
      surfaceId,
      root: ids.shown(groups.get('root') ?? 'root'),
      ...(catalogId === undefined ? {} : { catalogId }),
      ...(styles === undefined ? {} : { styles }),
    })

  /** The update with these components, and what else changes with them. */
  const sendComponents = (
    surfaceId: string,
    surface: Surface,
    components: readonly ConvertedComponent[],
  ): ServerMessage[] => {
    const { ids, groups, begun } = surface
    const root = ids.shown(groups.get('root') ?? 'root')
    const moved = new Set<string>()
    const given: ComponentInstance[] = []
    for (const { instance, label } of components) {
      const { id } = instance
      const before = groups.get(id)
      if (label === undefined) {
        groups.delete(id)
        given.push(instance)
      } else {
        const group = before ?? freeId(`${id}_group`, ids)
        groups.set(id, group)
        for (const one of grouped(instance, { label, group, ids })) given.push(one)
      }
      if (before !== groups.get(id)) moved.add(id)
    }
    const place = (id: string): string => groups.get(id) ?? id
    const inner = new Map([...groups].map(([id, group]) => [group, id]))
    const placed = (one: ComponentInstance): ComponentInstance =>
      inner.has(one.id) ? one : renameReferences(one, place)
    const originals = surface.originals
    for (const one of given) originals.set(one.id, one)
    const owners = [...originals.values()].filter((one) =>
      moved.size > 0 ? referencesOf(one).some((id) => moved.has(id)) : false,
    )
    const list = new Map([...given, ...owners].map((one) => [one.id, placed(one)]))
    const changed = ids.update([...list.values()])
    const sent = [...(selfContained ? ids.closure(changed) : changed)].flatMap(
      (id) => ids.toClient(id) ?? [],
    )
    const messages: ServerMessage[] = [surfaceUpdate(surfaceId, sent)]
    const isNewRoot = begun && ids.shown(place('root')) !== root
    // The old root would meet the text that has its name.
    return isNewRoot ? [beginOf(surfaceId, surface), ...messages] : messages
  }

  const wholeModel = (surfaceId: string, { data }: Surface): ServerMessage[] =>
    selfContained
      ? dataMessages(surfaceId, mapFromJson(data), CLIENT_DEPTH)
      : [dataModelUpdate(surfaceId, formatEntries(data, { onDiagnostic: log.note }))]

  const updateData = ({ surfaceId, payload }: Payload): ServerMessage[] => {
    const surface = surfaces.get(surfaceId) ?? createdSurface({}, catalogAliases)
    if (!remember(surfaceId, surface)) return []
    const path = readDataPath(typeof payload.path === 'string' ? payload.path : '/')
    if (path === null || path.segments.length > limits.pathSegments) {
      const message = 'A path cannot be read.'
      log.lose('path', { surfaceId, path: '/updateDataModel/path', message })
      return []
    }
    const { segments } = path
    surface.written += sizeOfJson(payload)
    if (surface.written > limits.dataSize) {
      // Much may have been overwritten since the last count.
      surface.written = sizeOfJson(surface.data) + sizeOfJson(payload)
      if (surface.written > limits.dataSize) {
        surface.written -= sizeOfJson(payload)
        log.exceeds('dataSize', surfaceId)
        return []
      }
    }
    const value = (ownValue(payload, 'value') ?? null) as JsonValue
    if (holdsNull(ownValue(payload, 'value'))) {
      log.lose('null', { surfaceId, path: '/updateDataModel/value' })
    }
    setAt(surface, segments, value)
    const removes = value === null
    const place = segments.slice(0, removes ? -2 : -1)
    if (surface.created && !surface.begun) {
      surface.holdsData = true
      return []
    }
    if (place.length === 0) return wholeModel(surfaceId, surface)
    if (selfContained) {
      const map = fromJson(valueAt(surface.data, place))
      return map instanceof Map ? dataMessages(surfaceId, map, CLIENT_DEPTH, place) : []
    }
    const key = segments[place.length] ?? ''
    const contents: JsonObject = {}
    setOwn(contents, key, valueAt(surface.data, [...place, key]))
    return [
      dataModelUpdate(
        surfaceId,
        formatEntries(contents, { onDiagnostic: log.note }),
        formatDataPath(place),
      ),
    ]
  }

  return {
    forward: (message) => asJson(convert(message)),
    back: (message) => actionFromV08(message, (surfaceId) => surfaces.get(surfaceId)?.ids),
  }
}

/** Levels of `valueMap` supported by the public web client. */
const CLIENT_DEPTH = 5

/** The value of a call in the source's surface; undefined if there is none. */
function valueOf(
  store: FunctionSource,
  surfaceId: string,
  call: JsonObject,
): JsonValue | undefined {
  try {
    return store.evaluate(surfaceId, call)
  } catch (error) {
    if (isSurfaceError(error)) return undefined
    throw error
  }
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

function createdSurface(
  { catalogId: named, theme }: Record<string, unknown>,
  aliases: Readonly<Record<string, string>>,
): Surface {
  const created = named !== undefined
  const known = { ...aliasesV09, ...aliases }
  const catalogId = typeof named === 'string' ? (ownValue(known, named) ?? named) : undefined
  const isStandard = catalogId === V09_CATALOG_ID || catalogId === STANDARD_CATALOG_ID
  return {
    catalogId: typeof catalogId !== 'string' || isStandard ? undefined : catalogId,
    styles: stylesOf(theme),
    created,
    begun: false,
    holdsData: false,
    data: {},
    written: 0,
    ids: new DistinctIds(),
    originals: new Map(),
    groups: new Map(),
    computed: new Map(),
  }
}

/** The only style known to both versions. */
function stylesOf(theme: unknown): JsonObject | undefined {
  const color = isPlainObject(theme) ? theme.primaryColor : undefined
  return typeof color === 'string' ? { primaryColor: color } : undefined
}
