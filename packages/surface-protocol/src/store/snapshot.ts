import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import { planOf } from '../graph/plan.ts'
import { stateMessages } from './state-messages.ts'
import { stateOf, type Surface } from './surface.ts'

/** The messages that recreate the state of a surface within its store's limits. */
export function snapshotOf(surface: Surface, limits: Readonly<SurfaceLimits>): ServerMessage[] {
  const { root: data } = surface.data
  return stateMessages(stateOf(surface), { data, initialises: initialises(surface), limits })
}

function initialises({ graph }: Surface): boolean {
  for (const definition of graph.definitions.values()) {
    if (!definition.initialises) continue
    const { bindings } = planOf(definition)
    if (bindings.some(({ path, literal }) => path !== null && literal !== undefined)) return true
  }
  return false
}
