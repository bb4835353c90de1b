import { mapToJson } from '../data/data-value.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import { cloneJson, setOwn, type JsonObject } from '../json.ts'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { ComponentV09 } from '../message/v09/messages-v09.ts'
import type { Definition } from '../graph/definition.ts'
import { missingChildren, treeDiagnostics, type Surface, type TreeOptions } from './surface.ts'

/** A surface of version 0.9.1, as plain JSON. */
export type SurfaceViewV09 = {
  surfaceId: string
  version: string
  status: 'pending' | 'rendered'
  catalogId: string
  theme: JsonObject
  sendDataModel: boolean
  /** In order of first arrival. */
  components: ComponentV09[]
  data: JsonObject
  /** Number of messages applied. */
  revision: number
  /** Ids reachable from the root but not defined. */
  missing: string[]
  /** Diagnostics of resolving the tree. */
  diagnostics: SurfaceDiagnostic[]
}

/** A surface of version 1.0, as plain JSON. */
export type SurfaceViewV1 = Omit<SurfaceViewV09, 'catalogId'> & {
  /** Null if the surface names none. */
  catalogId: string | null
  metadata?: JsonObject
}

/** A copy of the surface as plain JSON. */
export function viewOfV09(surface: Surface, version: string, options: TreeOptions): SurfaceViewV09 {
  return {
    surfaceId: surface.id,
    version,
    status: surface.status === 'rendered' ? 'rendered' : 'pending',
    catalogId: surface.catalogId ?? '',
    theme: cloneJson(surface.styles),
    sendDataModel: surface.sendDataModel,
    components: [...surface.graph.definitions.values()].map(toComponentV09),
    data: mapToJson(surface.data.root),
    revision: surface.revision,
    missing: missingChildren(surface).map(({ id }) => id),
    diagnostics: treeDiagnostics(surface, options),
  }
}

/** Copies a component to its message form. */
export function toComponentV09({ id, type, properties }: Definition): ComponentV09 {
  const component: ComponentV09 = { id, component: type }
  for (const [name, value] of Object.entries(cloneJson(properties))) {
    setOwn(component, name, value)
  }
  return component
}

/** The messages that recreate the state of a surface. */
export function snapshotOfV09(
  surface: Surface,
  version: string,
  { componentsPerMessage }: Readonly<SurfaceLimits>,
): JsonObject[] {
  const { id: surfaceId, catalogId, styles, hasTheme, sendDataModel, graph, data } = surface
  const named = `v${version}`
  const created: JsonObject = { surfaceId, catalogId: catalogId ?? '' }
  if (hasTheme) created.theme = cloneJson(styles)
  if (sendDataModel) created.sendDataModel = true
  const messages: JsonObject[] = [{ version: named, createSurface: created }]
  if (data.root.size > 0) {
    const value = mapToJson(data.root)
    messages.push({ version: named, updateDataModel: { surfaceId, path: '/', value } })
  }
  const components = [...graph.definitions.values()].map(toComponentV09)
  for (let from = 0; from < components.length; from += componentsPerMessage) {
    const part = components.slice(from, from + componentsPerMessage)
    messages.push({ version: named, updateComponents: { surfaceId, components: part } })
  }
  return messages
}
