import { defined, type JsonObject } from '../../json.ts'
import { formatEntries } from './entries.ts'
import type { DataEntry } from './data-entry.ts'

/** Payload of `beginRendering`. */
export type BeginRendering = {
  surfaceId: string
  root: string
  /** Default: the standard catalog. */
  catalogId?: string
  styles?: JsonObject
}

/** A component: its id, and its type with the properties. */
export type ComponentInstance = {
  id: string
  component: { [type: string]: JsonObject }
  /** Weight within a Row or Column. */
  weight?: number
}

/** Payload of `surfaceUpdate`. */
export type SurfaceUpdate = { surfaceId: string; components: ComponentInstance[] }

/** Payload of `dataModelUpdate`; without a path it replaces the whole model. */
export type DataModelUpdate = { surfaceId: string; path?: string; contents: DataEntry[] }

/** A message from the server to the client, version 0.8. */
export type ServerMessage =
  | { beginRendering: BeginRendering }
  | { surfaceUpdate: SurfaceUpdate }
  | { dataModelUpdate: DataModelUpdate }
  | { deleteSurface: { surfaceId: string } }

/** A `beginRendering` message: the surface can be displayed from `root` on. */
export function beginRendering(payload: BeginRendering): ServerMessage {
  return { beginRendering: payload }
}

/** A `surfaceUpdate` message: adds or replaces components. */
export function surfaceUpdate(surfaceId: string, components: ComponentInstance[]): ServerMessage {
  return { surfaceUpdate: { surfaceId, components } }
}

/** A `dataModelUpdate` message; `contents` may be a plain object. */
export function dataModelUpdate(
  surfaceId: string,
  contents: JsonObject | DataEntry[],
  path?: string,
): ServerMessage {
  const entries = Array.isArray(contents) ? contents : formatEntries(contents)
  return { dataModelUpdate: defined({ surfaceId, path, contents: entries }) }
}

/** A `deleteSurface` message. */
export function deleteSurface(surfaceId: string): ServerMessage {
  return { deleteSurface: { surfaceId } }
}
