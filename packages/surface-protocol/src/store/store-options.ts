import {
  catalogCore,
  createCatalog,
  type Catalog,
  type CatalogCore,
  type CatalogPartsV09,
} from '../catalog/catalog.ts'
import { checkOptions, type OptionNames } from '../catalog/check-options.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { familyOf, readVersion, type Version } from '../data/version.ts'
import type { HostFunction } from '../functions/evaluate.ts'
import { plainSyntax } from '../functions/value-syntax.ts'
import { resolveUrls, unsafeUrlsIn, type UrlOptions, type UrlRule } from '../message/unsafe-urls.ts'
import { storeDialectOf } from './dialects.ts'
import { defaultLimits, resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import type { Mode } from '../diagnostics/report.ts'
import type { PathMode } from '../tree/scope.ts'
import type { StoreDialect, StoreSettings } from './state.ts'

/** Options of a store. */
export interface SurfaceStoreOptions extends StoreOptionsV09, UrlOptions {
  /** Version of the messages. Default: 0.8. */
  readonly version?: Version
  /** Catalogs surfaces may use. Default: the standard catalog. */
  readonly catalogs?: readonly Catalog[]
  /** Alternative catalog ids, mapped to known ones. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Default: strict. */
  readonly mode?: Mode
  /** Interpretation of absolute paths inside templates. Default: compatible. */
  readonly pathMode?: PathMode
  /** Limits that override the defaults. */
  readonly limits?: Partial<SurfaceLimits>
  /** Called with errors of listeners and watchers. Default: they are ignored. */
  readonly onListenerError?: (error: unknown) => void
}

/** Options of stores from version 0.9.1 on. */
export interface StoreOptionsV09 {
  /** The host's functions by name. */
  readonly functions?: Readonly<Record<string, HostFunction>>
  /** Locale of formatted numbers and dates. Default: en-US. */
  readonly locale?: string
  /** Time zone of formatted dates. Default: UTC. */
  readonly timeZone?: string
}

const optionNames: OptionNames<SurfaceStoreOptions> = {
  version: true,
  catalogs: true,
  catalogAliases: true,
  mode: true,
  pathMode: true,
  limits: true,
  onListenerError: true,
  functions: true,
  locale: true,
  timeZone: true,
  unsafeUrls: true,
  urlSchemes: true,
}

/** Accepts every type; finds bound values and references by their form. */
const openCore = catalogCore(
  createCatalog(STANDARD_CATALOG_ID, [], {
    exact: false,
    shape: () => null,
    checkComponent: () => undefined,
    checkStyles: () => undefined,
  }),
)

/** Settings of a store that accepts components of any catalog. */
export const openSettings: StoreSettings = {
  protocol: '0.8',
  dialect: storeDialectOf('0.8'),
  evaluator: null,
  urls: null,
  mode: 'tolerant',
  pathMode: 'compatible',
  limits: defaultLimits,
  cores: [openCore],
  findCatalog: (catalogId) => ({ id: catalogId ?? STANDARD_CATALOG_ID, core: openCore }),
  canonicalId: (catalogId) => catalogId,
}

/** The same for later versions, whose components are not interpreted. */
export function openSettingsOf(version: Version): StoreSettings {
  if (version === '0.8') return openSettings
  const protocolVersion = familyOf(version)
  const core: CatalogCore = { ...openCore, v09: { ...noParts, protocolVersion } }
  return {
    ...openSettings,
    protocol: version,
    dialect: storeDialectOf(version),
    pathMode: 'pointer',
    cores: [core],
    findCatalog: (id) => ({ id: id ?? '', core }),
  }
}

const noParts: CatalogPartsV09 = {
  protocolVersion: '0.9',
  syntax: plainSyntax,
  components: new Map(),
  functions: new Map(),
  table: { catalogId: '', components: {}, functions: {}, theme: null },
  remake: () => {
    throw new TypeError('An open catalog has no table')
  },
}

/**
 * Applies defaults.
 * @throws TypeError for invalid options
 */
export function resolveStoreOptions(options: SurfaceStoreOptions): StoreSettings {
  checkOptions('createSurfaceStore', options, optionNames)
  const protocol = readVersion(options.version)
  const urls = resolveUrls(options)
  const dialect = checkingUrls(storeDialectOf(protocol), urls)
  const { catalogs = dialect.catalogs, mode = 'strict', pathMode = 'compatible' } = options
  if (catalogs.length === 0) throw new TypeError('A store needs at least one catalog')
  if (mode !== 'strict' && mode !== 'tolerant')
    throw new TypeError('mode must be strict or tolerant')
  if (pathMode !== 'compatible' && pathMode !== 'pointer') {
    throw new TypeError('pathMode must be compatible or pointer')
  }
  const limits = resolveLimits(options.limits)
  const byId = new Map(catalogs.map((catalog) => [catalog.catalogId, catalogCore(catalog)]))
  const aliases = new Map(Object.entries({ ...dialect.catalogAliases, ...options.catalogAliases }))
  for (const [catalogId, core] of byId) {
    if (!dialect.accepts(core)) {
      throw new TypeError(`The catalog ${catalogId} is for another version`)
    }
  }
  const find = (id: string): CatalogCore | null =>
    byId.get(id) ?? byId.get(aliases.get(id) ?? '') ?? null
  return {
    protocol,
    dialect,
    urls,
    evaluator: dialect.evaluator({ ...options, limits }, find),
    mode,
    // From 0.9.1 on, absolute paths always start at the root (SN-28).
    pathMode: dialect.family === '0.8' ? pathMode : 'pointer',
    limits,
    cores: [...byId.values()],
    findCatalog(catalogId) {
      const id = catalogId ?? STANDARD_CATALOG_ID
      return { id, core: find(id) }
    },
    canonicalId: (id) => aliases.get(id) ?? id,
  }
}

/** Judges the URLs of each message before it is applied. */
function checkingUrls(dialect: StoreDialect, urls: UrlRule): StoreDialect {
  if (urls === null) return dialect
  return {
    ...dialect,
    process(state, message, report) {
      for (const found of unsafeUrlsIn(message, urls)) {
        const { code, message: sentence, severity, path: pointer, componentId } = found
        report.add(code, sentence, { severity, pointer, componentId })
      }
      return dialect.process(state, message, report)
    },
  }
}
