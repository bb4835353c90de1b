import type { SurfaceLimits } from '../limits.ts'
import {
  beginRendering,
  surfaceUpdate,
  type ComponentInstance,
  type ServerMessage,
} from '../message/messages.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { dataMessages } from './data-messages.ts'
import { planOf } from './plan.ts'
import { toInstance } from './definition.ts'
import type { Surface } from './surface.ts'

/**
 * The messages that bring about the state of a surface: components, data, beginRendering, only
 * those needed (SP-69a, SP-72). More than one message of a kind occurs only where one would pass a
 * limit of the store.
 */
export function snapshotOf(surface: Surface, limits: Readonly<SurfaceLimits>): ServerMessage[] {
  const { id, graph, data, root, catalogId, styles } = surface
  const components = [...graph.definitions.values()].map(toInstance)
  const messages = inParts(components, limits.componentsPerMessage).map((part) =>
    surfaceUpdate(id, part),
  )
  // A component that initialises data would bring back what was replaced since.
  if (data.root.size > 0 || initialises(surface) || (components.length === 0 && root === null)) {
    messages.push(...dataMessages(id, data.root, limits.dataDepth))
  }
  if (root !== null) {
    messages.push(
      beginRendering({
        surfaceId: id,
        root,
        ...(catalogId === null || catalogId === STANDARD_CATALOG_ID ? {} : { catalogId }),
        ...(Object.keys(styles).length === 0 ? {} : { styles: structuredClone(styles) }),
      }),
    )
  }
  return messages
}

function initialises({ graph }: Surface): boolean {
  for (const definition of graph.definitions.values()) {
    if (!definition.initialises) continue
    const { bindings } = planOf(definition)
    if (bindings.some(({ path, literal }) => path !== null && literal !== undefined)) return true
  }
  return false
}

function inParts(components: ComponentInstance[], size: number): ComponentInstance[][] {
  const parts: ComponentInstance[][] = []
  for (let start = 0; start < components.length; start += size) {
    parts.push(components.slice(start, start + size))
  }
  return parts
}
