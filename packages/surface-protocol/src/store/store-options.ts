import {
  catalogCore,
  createCatalog,
  type Catalog,
  type CatalogCore,
  type CatalogPartsV09,
} from '../catalog/catalog.ts'
import { STANDARD_CATALOG_ID, standardCatalogV08 } from '../catalog/standard.ts'
import { aliasesV09, basicCatalogV09, minimalCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { readVersion, type VersionName } from '../data/version.ts'
import { Evaluator, type HostFunction } from '../functions/evaluate.ts'
import { defaultLimits, resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import type { Mode } from '../diagnostics/report.ts'
import type { PathMode } from '../tree/scope.ts'

/** How a store judges and resolves. */
export interface SurfaceStoreOptions extends StoreOptionsV09 {
  /** Version of the messages. Default: 0.8. */
  readonly version?: VersionName
  /** Catalogs that surfaces may name. Default: the standard catalog. */
  readonly catalogs?: readonly Catalog[]
  /** Further ids for catalogs of the store: from an id to a known one. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Default: strict (SP-19). */
  readonly mode?: Mode
  /** How absolute paths inside templates are read. Default: compatible (SP-36). */
  readonly pathMode?: PathMode
  /** Limits that differ from the defaults (SP-88). */
  readonly limits?: Partial<SurfaceLimits>
  /** Hears what listeners and watchers throw. Default: nobody. */
  readonly onListenerError?: (error: unknown) => void
}

/** What only stores of version 0.9.1 use. */
export interface StoreOptionsV09 {
  /** Functions of the host, by name (SN-34). */
  readonly functions?: Readonly<Record<string, HostFunction>>
  /** Of formatted numbers and dates. Default: en-US. */
  readonly locale?: string
  /** Of formatted dates. Default: UTC. */
  readonly timeZone?: string
}

/** The same with everything decided. */
export interface StoreSettings {
  readonly version: VersionName
  readonly evaluator: Evaluator | null
  readonly mode: Mode
  readonly pathMode: PathMode
  readonly limits: Readonly<SurfaceLimits>
  readonly cores: readonly CatalogCore[]
  /** The core of a catalog id or of an alias; null when it is unknown. */
  findCatalog(catalogId: string | null): { readonly id: string; readonly core: CatalogCore | null }
}

/** Takes every type; bound values and references are found by their form. */
const openCore = catalogCore(
  createCatalog(STANDARD_CATALOG_ID, [], {
    exact: false,
    shape: () => null,
    checkComponent: () => undefined,
    checkStyles: () => undefined,
  }),
)

/** Settings of a store that follows messages of any catalog. */
export const openSettings: StoreSettings = {
  version: '0.8',
  evaluator: null,
  mode: 'tolerant',
  pathMode: 'compatible',
  limits: defaultLimits,
  cores: [openCore],
  findCatalog: (catalogId) => ({ id: catalogId ?? STANDARD_CATALOG_ID, core: openCore }),
}

/** The same for version 0.9.1, whose components are kept without a look into them. */
export function openSettingsOf(version: VersionName): StoreSettings {
  if (version === '0.8') return openSettings
  const core: CatalogCore = { ...openCore, v09: noParts }
  return {
    ...openSettings,
    version,
    pathMode: 'pointer',
    cores: [core],
    findCatalog: (id) => ({ id: id ?? '', core }),
  }
}

const noParts: CatalogPartsV09 = {
  components: new Map(),
  functions: new Map(),
  table: { catalogId: '', components: {}, functions: {}, theme: null },
}

/**
 * Decides what was left open.
 * @throws TypeError for options that make no sense
 */
export function resolveStoreOptions(options: SurfaceStoreOptions): StoreSettings {
  const version = readVersion(options.version)
  const isV08 = version === '0.8'
  const { catalogs = isV08 ? [standardCatalogV08] : [basicCatalogV09, minimalCatalogV09] } = options
  const { mode = 'strict', pathMode = 'compatible' } = options
  const catalogAliases = { ...(isV08 ? {} : aliasesV09), ...options.catalogAliases }
  if (catalogs.length === 0) throw new TypeError('A store needs at least one catalog')
  if (mode !== 'strict' && mode !== 'tolerant') throw new TypeError('mode: strict or tolerant')
  if (pathMode !== 'compatible' && pathMode !== 'pointer') {
    throw new TypeError('pathMode: compatible or pointer')
  }
  const limits = resolveLimits(options.limits)
  const byId = new Map(catalogs.map((catalog) => [catalog.catalogId, catalogCore(catalog)]))
  const aliases = new Map(Object.entries(catalogAliases))
  for (const catalog of catalogs) {
    if ((catalogCore(catalog).v09 === undefined) !== isV08) {
      throw new TypeError(`The catalog ${catalog.catalogId} is for another version`)
    }
  }
  return {
    version,
    evaluator: isV08 ? null : new Evaluator({ ...options, limits }),
    mode,
    // From 0.9.1 on, an absolute path begins at the root always (SN-28).
    pathMode: isV08 ? pathMode : 'pointer',
    limits,
    cores: [...byId.values()],
    findCatalog(catalogId) {
      const id = catalogId ?? STANDARD_CATALOG_ID
      return { id, core: byId.get(id) ?? byId.get(aliases.get(id) ?? '') ?? null }
    },
  }
}
