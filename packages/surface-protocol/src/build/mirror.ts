import { createCatalog, type Catalog } from '../catalog/catalog.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { dataModelUpdate, surfaceUpdate } from '../message/v08/messages.ts'
import { createSurfaceStore, type SurfaceStore } from '../store/store.ts'
import type { SurfaceState } from '../store/surface.ts'

/** Takes every type; bound values and references are found by their form. */
const anyCatalog: Catalog = createCatalog(STANDARD_CATALOG_ID, [], {
  exact: false,
  shape: () => null,
  checkComponent: () => undefined,
  checkStyles: () => undefined,
})

/** A store that takes components of any catalog, with what is known of some surfaces. */
export function createMirror(states: readonly SurfaceState[]): SurfaceStore {
  const store = createSurfaceStore({ catalogs: [anyCatalog] })
  for (const { surfaceId, components, data } of states) {
    if (components.length > 0) store.apply(surfaceUpdate(surfaceId, components))
    store.apply(dataModelUpdate(surfaceId, data))
  }
  return store
}
