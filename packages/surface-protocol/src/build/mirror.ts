import { dataModelUpdate, surfaceUpdate } from '../message/v08/messages.ts'
import { createOpenStore, type SurfaceStore } from '../store/store.ts'
import type { SurfaceState } from '../store/surface.ts'

/** A store that accepts components of any catalog, initialised with the state of some surfaces. */
export function createMirror(states: readonly SurfaceState[]): SurfaceStore {
  const store = createOpenStore()
  for (const { surfaceId, components, data } of states) {
    if (components.length > 0) store.apply(surfaceUpdate(surfaceId, components))
    store.apply(dataModelUpdate(surfaceId, data))
  }
  return store
}
