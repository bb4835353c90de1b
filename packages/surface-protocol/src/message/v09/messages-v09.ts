import type { JsonObject, JsonValue } from '../../json.ts'

/** A component of version 0.9.1: id, type, and its properties as further members. */
export type ComponentV09 = { id: string; component: string; [property: string]: JsonValue }

/** Payload of `createSurface`. */
export type CreateSurface = {
  surfaceId: string
  catalogId: string
  theme?: JsonObject
  /** The client sends its data model with every message. Default: false. */
  sendDataModel?: boolean
}

/** Payload of `updateDataModel`; without a value, the value at the path is removed. */
export type UpdateDataModel = { surfaceId: string; path?: string; value?: JsonValue }

/** A message from the server to the client, version 0.9.1. */
export type ServerMessageV09 = { version: 'v0.9' | 'v0.9.1' } & (
  | { createSurface: CreateSurface }
  | { updateComponents: { surfaceId: string; components: ComponentV09[] } }
  | { updateDataModel: UpdateDataModel }
  | { deleteSurface: { surfaceId: string } }
)

/** A client message of version 0.9.1 (SN, section 2.3). */
export type ClientMessageV09 = { version: 'v0.9' | 'v0.9.1' } & (
  | { action: ActionV09 }
  | { error: JsonObject }
)

/** A user's action on a component. */
export type ActionV09 = {
  name: string
  surfaceId: string
  sourceComponentId: string
  /** RFC 3339 date-time with zone. */
  timestamp: string
  context: JsonObject
}
