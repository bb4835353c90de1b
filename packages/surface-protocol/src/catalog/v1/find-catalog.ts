import { quote, SurfaceError, type SurfaceErrorCode } from '../../diagnostics/errors.ts'
import { catalogCore, type Catalog, type CatalogCore } from '../catalog.ts'

/** The catalog of a component or a call, or the reason there is none. */
export type FoundCatalog =
  | { readonly core: CatalogCore }
  | { readonly core: null; readonly code: SurfaceErrorCode; readonly message: string }

/** Returns the core of a catalog id; null if it is unknown. */
export type FindCore = (catalogId: string) => CatalogCore | null

/** The catalog named by a component or a call, else that of the surface. */
export function findCatalog(
  own: string | undefined,
  ofSurface: string | null | undefined,
  find: FindCore,
): FoundCatalog {
  const id = own ?? ofSurface ?? null
  if (id === null) {
    const message = 'Neither this nor its surface names a catalog.'
    return { core: null, code: 'missing_catalog', message }
  }
  const core = find(id)
  if (core === null) {
    const message = `There is no catalog ${quote(id)} here.`
    return { core: null, code: 'unknown_catalog', message }
  }
  if (core.v09?.protocolVersion === '1.0') return { core }
  const message = `The catalog ${quote(id)} is for another version of the protocol than 1.0.`
  return { core: null, code: 'catalog_version_mismatch', message }
}

/**
 * The catalog in force for a component or a call.
 * @throws SurfaceError `missing_catalog`, `unknown_catalog`, `catalog_version_mismatch`
 */
export function resolveCatalog(options: {
  /** The catalog named by the surface. */
  readonly surfaceCatalogId?: string
  /** The catalog named by the component or call. */
  readonly catalogId?: string
  readonly catalogs: readonly Catalog[]
}): Catalog {
  const { surfaceCatalogId, catalogId, catalogs } = options
  const byId = new Map(catalogs.map((catalog) => [catalog.catalogId, catalog]))
  const found = findCatalog(catalogId, surfaceCatalogId, (id) => {
    const catalog = byId.get(id)
    return catalog === undefined ? null : catalogCore(catalog)
  })
  const catalog = byId.get(catalogId ?? surfaceCatalogId ?? '')
  if (found.core !== null && catalog !== undefined) return catalog
  const { code, message } = found as Exclude<FoundCatalog, { core: CatalogCore }>
  throw new SurfaceError({ code, detail: message })
}
