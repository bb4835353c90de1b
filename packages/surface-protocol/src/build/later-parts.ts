import type { Catalog } from '../catalog/catalog.ts'
import type { DataDifference } from '../data/diff-data-v09.ts'
import type { JsonObject } from '../json.ts'
import type { ComponentV09 } from '../message/v09/messages-v09.ts'

/** What differs between the versions from 0.9 on. */
export interface LaterParts {
  /** Value of `version` in a message. */
  readonly version: string
  /** Catalog of surfaces whose nodes name none. */
  readonly catalog: Catalog
  /** Sends new and changed data before components, so that no function meets a component without its data. */
  readonly dataFirst: boolean
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
