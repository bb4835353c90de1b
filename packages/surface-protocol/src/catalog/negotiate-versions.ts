import { familyOf, versionNumber, type Version } from '../data/version.ts'
import { quote, SurfaceError } from '../diagnostics/errors.ts'
import { isPlainObject, ownValue } from '../json.ts'
import type { Catalog } from './catalog.ts'
import { aliasesV09 } from './v09/basic-catalog-ids.ts'
import { parseCatalog } from './parse-catalog.ts'

/** Keys of capabilities in a message's metadata. */
const NAMES = ['a2uiClientCapabilities', 'a2uiRendererCapabilities']

function capabilitiesIn(value: unknown): Record<string, unknown> | null {
  if (!isPlainObject(value)) return null
  for (const name of NAMES) {
    const found = ownValue(value, name)
    if (isPlainObject(found)) return found
  }
  return value
}

/** A client's capabilities for one version; those of 0.8 are not nested. */
function capabilitiesFor(version: Version, capabilities: unknown): Record<string, unknown> | null {
  const all = capabilitiesIn(capabilities)
  if (all === null) return null
  const family = familyOf(version)
  if (family === '0.8') return 'supportedCatalogIds' in all || 'inlineCatalogs' in all ? all : null
  const found =
    family === '0.9'
      ? (ownValue(all, 'v0.9') ?? ownValue(all, 'v0.9.1'))
      : ownValue(all, `v${versionNumber(version)}`)
  return isPlainObject(found) ? found : null
}

/**
 * The server's first version supported by the client; the first one without capabilities.
 * @throws SurfaceError `unsupported_version`; TypeError without versions
 */
export function negotiateVersion(options: {
  readonly supported: readonly Version[]
  readonly capabilities?: unknown
}): Version {
  const { supported, capabilities } = options
  const [first] = supported
  if (first === undefined) throw new TypeError('Pass at least one supported version')
  if (capabilities === undefined || capabilities === null) return first
  const found = supported.find((version) => capabilitiesFor(version, capabilities) !== null)
  if (found !== undefined) return found
  throw new SurfaceError({
    code: 'unsupported_version',
    detail: `The client shows none of the versions ${supported.map(versionNumber).join(', ')}.`,
  })
}

/**
 * The catalogs supported by both sides, in the client's order; all of the server's without
 * capabilities. The client's own catalogs follow.
 * @throws SurfaceError `no_common_catalog`, `inline_catalog_refused`, `invalid_catalog`
 */
export function negotiateCatalogs(options: {
  readonly version: Version
  readonly catalogs: readonly Catalog[]
  readonly capabilities?: unknown
  readonly acceptsInlineCatalogs?: boolean
}): Catalog[] {
  const { version, catalogs, capabilities, acceptsInlineCatalogs = false } = options
  if (capabilities === undefined || capabilities === null) return [...catalogs]
  const own = capabilitiesFor(version, capabilities) ?? {}
  const ids: readonly unknown[] = Array.isArray(own.supportedCatalogIds)
    ? own.supportedCatalogIds
    : []
  const inline: readonly unknown[] = Array.isArray(own.inlineCatalogs) ? own.inlineCatalogs : []
  if (inline.length > 0 && !acceptsInlineCatalogs) {
    throw new SurfaceError({
      code: 'inline_catalog_refused',
      detail: 'This server does not accept catalogs from clients.',
    })
  }
  const known = new Map<unknown, Catalog>(catalogs.map((catalog) => [catalog.catalogId, catalog]))
  const family = familyOf(version)
  const found = new Map<string, Catalog>()
  for (const id of ids) {
    const alias = typeof id === 'string' ? ownValue(aliasesV09, id) : undefined
    const catalog = known.get(id) ?? (family === '0.9' ? known.get(alias) : undefined)
    if (catalog !== undefined) found.set(catalog.catalogId, catalog)
  }
  for (const document of inline) {
    const catalog = parseCatalog(document, { version })
    if (!known.has(catalog.catalogId) && !found.has(catalog.catalogId)) {
      found.set(catalog.catalogId, catalog)
    }
  }
  if (found.size > 0) return [...found.values()]
  const named = ids.slice(0, 3).map((id) => quote(String(id)))
  throw new SurfaceError({
    code: 'no_common_catalog',
    detail: `The server has none of the catalogs of the client: ${named.join(', ')}.`,
  })
}
