import { append } from '@x/wire'
import { basicCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { formatDataPath, readDataPath } from '../data/data-path.ts'
import { arrayIndex, mapToJson, toJson, valueAt, type DataMap } from '../data/data-value.ts'
import type { Definition } from '../graph/definition.ts'
import { cloneJson, equalJson, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import type { ComponentV09 } from '../message/v09/messages-v09.ts'
import { stateOfStore, type SurfaceStore } from '../store/store.ts'
import type { Surface } from '../store/surface.ts'
import { buildComponentsV09 } from './build-components-v09.ts'
import { diffDataV09, type DataDifference } from '../data/diff-data-v09.ts'
import type { LaterParts } from './later-parts.ts'
import { namedCatalog, type WireForm, type WireSettings } from './wire-form.ts'

/** The parts of 0.9 and 0.9.1. */
export const partsV09: Omit<LaterParts, 'version'> = {
  dataFirst: true,
  catalog: basicCatalogV09,
  binding: (path) => ({ path }),
  call: (name, args) => ({ call: name, args }),
  create({ surfaceId, settings, components, data }, componentsPerMessage) {
    const payloads: JsonObject[] = [{ createSurface: { surfaceId, ...settings } }]
    if (Object.keys(data).length > 0) {
      payloads.push({ updateDataModel: { surfaceId, path: '/', value: data } })
    }
    append(payloads, componentPayloads(surfaceId, components, componentsPerMessage))
    return payloads
  },
  differences: diffDataV09,
  removal: (path) => ({ path }),
}

/** Splits components into updates within the limit. */
export function componentPayloads(
  surfaceId: string,
  components: readonly ComponentV09[],
  componentsPerMessage: number,
): JsonObject[] {
  const payloads: JsonObject[] = []
  for (let from = 0; from < components.length; from += componentsPerMessage) {
    const part: JsonValue = components.slice(from, from + componentsPerMessage)
    payloads.push({ updateComponents: { surfaceId, components: part } })
  }
  return payloads
}

/**
 * The wire form of versions from 0.9 on: createSurface once, then the differences.
 */
export function createLaterForm(
  store: SurfaceStore,
  { limits: { componentsPerMessage }, catalogId }: WireSettings,
  parts: LaterParts,
): WireForm {
  const say = (payload: JsonObject): AnyServerMessage =>
    ({ version: parts.version, ...payload }) as AnyServerMessage
  const { surfaces } = stateOfStore(store)
  const deletion = (surfaceId: string): AnyServerMessage => say({ deleteSurface: { surfaceId } })
  const dataUpdate = (surfaceId: string, difference: DataDifference): JsonObject => ({
    updateDataModel: { surfaceId, ...difference },
  })

  return {
    render(surfaceId, view) {
      const { components, catalogs } = buildComponentsV09(view.root, parts)
      const [first = parts.catalog] = catalogs
      const { catalog = first, theme, metadata, sendDataModel = false } = view
      const data = cloneJson(view.data ?? {})
      const settings: JsonObject = {
        catalogId: namedCatalog(store, catalog, view.catalogId ?? catalogId),
      }
      if (theme !== undefined) settings.theme = cloneJson(theme)
      if (metadata !== undefined) settings.metadata = cloneJson(metadata)
      if (sendDataModel) settings.sendDataModel = true
      const known = surfaces.get(surfaceId)
      if (known === undefined || !hasSettings(known, settings)) {
        const surface = { surfaceId, settings, components, data }
        const created = parts.create(surface, componentsPerMessage).map(say)
        return known === undefined ? created : [deletion(surfaceId), ...created]
      }
      const { definitions } = known.graph
      const changed = components.filter((one) => !isSame(definitions.get(one.id), one))
      const differences = parts.differences(mapToJson(known.data.root), data)
      const comesFirst = ({ value }: DataDifference): boolean =>
        parts.dataFirst && value !== undefined
      return [
        ...differences.filter(comesFirst).map((one) => dataUpdate(surfaceId, one)),
        ...componentPayloads(surfaceId, changed, componentsPerMessage),
        ...differences.filter((one) => !comesFirst(one)).map((one) => dataUpdate(surfaceId, one)),
      ].map(say)
    },
    update: (surfaceId, path, value) => [say(dataUpdate(surfaceId, { path, value }))],
    removal: (surfaceId, path) => {
      const { root } = surfaces.get(surfaceId)?.data ?? {}
      const shorter = withoutItem(root, path)
      return [say(dataUpdate(surfaceId, shorter ?? parts.removal(path)))]
    },
    deletion,
  }
}

/**
 * The array of the item at a path, without that item; null if there is none. A message that removes an item leaves
 * `null` in its place, so that the others keep their paths.
 */
function withoutItem(root: DataMap | undefined, path: string): DataDifference | null {
  const segments = readDataPath(path)?.segments ?? []
  const parent = segments.slice(0, -1)
  const list = valueAt(root, parent)
  const index = arrayIndex(segments.at(-1) ?? '')
  if (!Array.isArray(list) || index === null || index >= list.length) return null
  return { path: formatDataPath(parent), value: toJson(list.toSpliced(index, 1)) }
}

/** Returns whether a surface was created with these settings. */
function hasSettings(
  { catalogId, styles, sendDataModel, metadata }: Surface,
  settings: JsonObject,
): boolean {
  return (
    catalogId === settings.catalogId &&
    sendDataModel === (settings.sendDataModel ?? false) &&
    equalJson(styles, settings.theme ?? {}) &&
    equalJson(metadata, settings.metadata ?? null)
  )
}

/** Returns whether the receiver has the component as it would be sent. */
function isSame(known: Definition | undefined, component: ComponentV09): boolean {
  if (known?.type !== component.component || known.envelope !== null) return false
  const names = Object.keys(component)
  return (
    names.length === Object.keys(known.properties).length + 2 &&
    names.every(
      (name) =>
        name === 'id' ||
        name === 'component' ||
        equalJson(ownValue(known.properties, name), component[name]),
    )
  )
}
