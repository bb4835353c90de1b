import { append } from '@x/wire'
import type { Catalog } from '../catalog/catalog.ts'
import { basicCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { protocolParts, type Version } from '../data/version.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ComponentV09 } from '../message/v09/messages-v09.ts'
import { diffDataV09, type DataDifference } from './diff-data-v09.ts'

/** The wire form of a version from 0.9 on. */
export interface WireForm {
  /** Value of `version` in a message. */
  readonly version: string
  /** Catalog of surfaces whose nodes name none. */
  readonly catalog: Catalog
  binding(path: string): JsonObject
  call(name: string, args: JsonObject): JsonObject
  /** Payloads that create a surface. */
  create(surface: NewSurface, componentsPerMessage: number): JsonObject[]
  /** The differences between two data models. */
  differences(before: JsonObject, after: JsonObject): DataDifference[]
  /** The payload that removes a location, without the surface id. */
  removal(path: string): DataDifference
}

/** A surface sent for the first time. */
export interface NewSurface {
  readonly surfaceId: string
  /** Further members of its createSurface. */
  readonly settings: JsonObject
  readonly components: readonly ComponentV09[]
  readonly data: JsonObject
}

const formV09: Omit<WireForm, 'version'> = {
  catalog: basicCatalogV09,
  binding: (path) => ({ path }),
  call: (name, args) => ({ call: name, args }),
  create({ surfaceId, settings, components, data }, componentsPerMessage) {
    const payloads: JsonObject[] = [{ createSurface: { surfaceId, ...settings } }]
    append(payloads, componentPayloads(surfaceId, components, componentsPerMessage))
    if (Object.keys(data).length > 0) {
      payloads.push({ updateDataModel: { surfaceId, path: '/', value: data } })
    }
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

/** The form of a version from 0.9 on. */
export function wireFormOf(version: Exclude<Version, '0.8'>): WireForm {
  if (typeof version === 'string') return { ...formV09, version: `v${version}` }
  return (protocolParts(version) as { readonly build: WireForm }).build
}
