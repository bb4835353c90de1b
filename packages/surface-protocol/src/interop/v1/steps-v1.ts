import { append } from '@x/wire'
import { basicTableV1 } from '../../catalog/v1/basic-table-v1.ts'
import { aliasesV1 } from '../../catalog/v1/basic-catalog-v1.ts'
import { aliasesV09 } from '../../catalog/v09/basic-catalog-ids.ts'
import {
  defined,
  escapeSegment,
  isPlainObject,
  ownValue,
  type JsonObject,
  type JsonValue,
} from '../../json.ts'
import type { ConversionStep, StepOptions } from '../conversion-step.ts'
import { V09, V09_CATALOG_ID } from '../v09.ts'
import { componentFromV1 } from './component-from-v1.ts'
import { componentToV1 } from './component-to-v1.ts'
import { Names } from './names.ts'

const V1 = 'v1.0'

/** The step from version 0.9.1 to 1.0. */
export function createStepToV1({ log, limits, catalogs }: StepOptions): ConversionStep {
  const surfaces = new Map<string, Names>()

  const namesOf = (surfaceId: string): Names => {
    const known = surfaces.get(surfaceId)
    if (known !== undefined) return known
    const made = new Names(limits.componentsPerSurface)
    if (surfaces.size < limits.surfaces) surfaces.set(surfaceId, made)
    return made
  }

  const convertComponents = ({ surfaceId, payload }: Payload): JsonObject[] => {
    const names = namesOf(surfaceId)
    const list = Array.isArray(payload.components) ? payload.components : []
    const components = list.flatMap((component, at) => {
      const componentId = idOf(component)
      const lose = (what: string, name: string): void => {
        const path = `/updateComponents/components/${at}/${escapeSegment(name)}`
        log.lose(what, { surfaceId, ...componentId, path })
      }
      const rename = (id: string): string => {
        const renamed = names.toLater(id)
        if (renamed !== id) log.lose('id', { surfaceId, componentId: id, path: pathOfId(at) })
        return renamed
      }
      return componentToV1(component, { lose, rename, catalogs }) ?? []
    })
    return components.length === 0 ? [] : [{ updateComponents: { surfaceId, components } }]
  }

  const convert = (message: JsonObject): JsonObject[] => {
    const created = payloadOf(message, 'createSurface')
    if (created !== null) {
      const { surfaceId, payload } = created
      const { theme, catalogId, sendDataModel } = payload
      surfaces.delete(surfaceId)
      namesOf(surfaceId)
      if (theme !== undefined) log.lose('theme', { surfaceId, path: '/createSurface/theme' })
      const later = typeof catalogId === 'string' ? catalogToV1(catalogId) : undefined
      const members = defined({ surfaceId, catalogId: later, sendDataModel })
      return [{ createSurface: members }]
    }
    const components = payloadOf(message, 'updateComponents')
    if (components !== null) return convertComponents(components)
    const data = payloadOf(message, 'updateDataModel')
    if (data !== null) {
      const { surfaceId, payload } = data
      const { path, value = null } = payload
      if (payload.value === null) log.lose('null', { surfaceId, path: '/updateDataModel/value' })
      return [{ updateDataModel: { surfaceId, ...defined({ path }), value } }]
    }
    const deleted = payloadOf(message, 'deleteSurface')
    if (deleted === null) return []
    surfaces.delete(deleted.surfaceId)
    return [{ deleteSurface: { surfaceId: deleted.surfaceId } }]
  }

  return {
    forward: (message) => convert(message).map((one) => ({ version: V1, ...one })),
    back(message) {
      const { action } = message
      if (!isPlainObject(action)) return null
      const { name, surfaceId, sourceComponentId: later, timestamp, context } = action
      const names = typeof surfaceId === 'string' ? surfaces.get(surfaceId) : undefined
      const id = typeof later === 'string' ? (names?.toEarlier(later) ?? later) : later
      const fields = { name, surfaceId, sourceComponentId: id, timestamp, context }
      return { version: V09, action: defined(fields) as JsonObject }
    },
  }
}

/** The step from version 1.0 to 0.9.1. */
export function createStepFromV1({ log, limits }: StepOptions): ConversionStep {
  /** The catalog of each surface; null if it names none. */
  const surfaces = new Map<string, string | null>()

  const convertComponents = ({ surfaceId, payload }: Payload, kind: string): JsonObject[] => {
    const list = Array.isArray(payload.components) ? payload.components : []
    const catalogId = surfaces.get(surfaceId) ?? null
    const components = list.flatMap((component, at) => {
      const lose = (what: string, name: string): void => {
        const path = `/${kind}/components/${at}/${escapeSegment(name)}`
        log.lose(what, { surfaceId, ...idOf(component), path })
      }
      return componentFromV1(component, { lose, catalogId }) ?? []
    })
    return components.length === 0 ? [] : [{ updateComponents: { surfaceId, components } }]
  }

  const create = (created: Payload): JsonObject[] => {
    const { surfaceId, payload } = created
    const { catalogId, sendDataModel, dataModel, metadata } = payload
    const own = typeof catalogId === 'string' ? catalogId : null
    if (!surfaces.has(surfaceId) && surfaces.size >= limits.surfaces) {
      log.exceeds('surfaces', surfaceId)
      return []
    }
    surfaces.set(surfaceId, own)
    if (metadata !== undefined) log.lose('metadata', { surfaceId, path: '/createSurface/metadata' })
    if (own === null) log.lose('catalog', { surfaceId, path: '/createSurface' })
    const members = { surfaceId, catalogId: catalogFromV1(own), sendDataModel }
    const messages: JsonObject[] = [{ createSurface: defined(members) }]
    if (isPlainObject(dataModel) && Object.keys(dataModel).length > 0) {
      messages.push({ updateDataModel: { surfaceId, path: '/', value: dataModel } })
    }
    append(messages, convertComponents(created, 'createSurface'))
    return messages
  }

  const convert = (message: JsonObject): JsonObject[] => {
    const created = payloadOf(message, 'createSurface')
    if (created !== null) return create(created)
    const components = payloadOf(message, 'updateComponents')
    if (components !== null) return convertComponents(components, 'updateComponents')
    const data = payloadOf(message, 'updateDataModel')
    if (data !== null) {
      const { surfaceId, payload } = data
      const value = payload.value ?? undefined
      return [{ updateDataModel: defined({ surfaceId, path: payload.path, value }) }]
    }
    const deleted = payloadOf(message, 'deleteSurface')
    if (deleted !== null) {
      surfaces.delete(deleted.surfaceId)
      return [{ deleteSurface: { surfaceId: deleted.surfaceId } }]
    }
    const isCall = 'callRendererFunction' in message || 'agentFunctionResponse' in message
    if (isCall) log.lose('rpc', { surfaceId: '' })
    return []
  }

  return {
    forward: (message) => convert(message).map((one) => ({ version: V09, ...one })),
    back: ({ action }) =>
      isPlainObject(action) ? { version: V1, action: action as JsonValue } : null,
  }
}

interface Payload {
  readonly surfaceId: string
  readonly payload: JsonObject
}

function payloadOf(message: JsonObject, key: string): Payload | null {
  const payload = ownValue(message, key)
  if (!isPlainObject(payload) || typeof payload.surfaceId !== 'string') return null
  return { surfaceId: payload.surfaceId, payload: payload as JsonObject }
}

function idOf(component: unknown): { componentId?: string } {
  const id = isPlainObject(component) ? component.id : undefined
  return typeof id === 'string' ? { componentId: id } : {}
}

function pathOfId(at: number): string {
  return `/updateComponents/components/${at}/id`
}

function catalogToV1(catalogId: string): string {
  const isBasic = catalogId === V09_CATALOG_ID || aliasesV09[catalogId] === V09_CATALOG_ID
  return isBasic ? basicTableV1.catalogId : catalogId
}

function catalogFromV1(catalogId: string | null): string {
  const isBasic = catalogId === basicTableV1.catalogId || aliasesV1[catalogId ?? ''] !== undefined
  return catalogId === null || isBasic ? V09_CATALOG_ID : catalogId
}
