import { mapToJson } from '../../data/data-value.ts'
import type { SurfaceLimits } from '../../diagnostics/limits.ts'
import type { Definition } from '../../graph/definition.ts'
import { cloneJson, type JsonObject } from '../../json.ts'
import type { Surface, TreeOptions } from '../surface.ts'
import { toComponentV09, viewOfV09, type SurfaceViewV1 } from '../view-v09.ts'

/** A copy of the surface as plain JSON. */
export function viewOfV1(surface: Surface, options: TreeOptions): SurfaceViewV1 {
  const { catalogId, metadata, graph } = surface
  return {
    ...viewOfV09(surface, '1.0', options),
    catalogId,
    ...(metadata === null ? {} : { metadata: cloneJson(metadata) }),
    components: [...graph.definitions.values()].map(toComponentV1),
  }
}

/** Copies a component to its message form. */
function toComponentV1(definition: Definition): ReturnType<typeof toComponentV09> {
  const { id, component, ...properties } = toComponentV09(definition)
  return { id, component, ...cloneJson(definition.envelope ?? {}), ...properties }
}

/** A single createSurface with everything; parts beyond a limit follow in updates. */
export function snapshotOfV1(
  surface: Surface,
  { componentsPerMessage }: Readonly<SurfaceLimits>,
): JsonObject[] {
  const { id: surfaceId, catalogId, sendDataModel, metadata, graph, data } = surface
  const created: JsonObject = { surfaceId }
  if (catalogId !== null) created.catalogId = catalogId
  if (sendDataModel) created.sendDataModel = true
  const components = [...graph.definitions.values()].map(toComponentV1)
  if (components.length > 0) created.components = components.slice(0, componentsPerMessage)
  if (data.root.size > 0) created.dataModel = mapToJson(data.root)
  if (metadata !== null) created.metadata = cloneJson(metadata)
  const messages: JsonObject[] = [{ version: 'v1.0', createSurface: created }]
  for (let from = componentsPerMessage; from < components.length; from += componentsPerMessage) {
    const part = components.slice(from, from + componentsPerMessage)
    messages.push({ version: 'v1.0', updateComponents: { surfaceId, components: part } })
  }
  return messages
}
