import { familyOf, readVersion, versionNumber, type Version } from '../data/version.ts'
import { quote, SurfaceError } from '../diagnostics/errors.ts'
import { cloneJson, isPlainObject, ownValue, type JsonObject } from '../json.ts'
import type { Catalog } from './catalog.ts'
import { mergeDocuments } from './merge-documents.ts'
import { formatCatalog } from './format-catalog.ts'
import { aliasesV09 } from './v09/basic-catalog-ids.ts'
import { parseCatalog, readCatalog, trustedPatternsOf } from './parse-catalog.ts'

/** The capabilities of a client. */
export type ClientCapabilities = { supportedCatalogIds?: string[]; inlineCatalogs?: unknown[] }

/** The server's catalogs and the client's capabilities. */
export interface NegotiateCatalogOptions {
  /** In the server's order of preference. */
  readonly catalogs: readonly Catalog[]
  /** Alternative ids of the server's catalogs. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Default: false. */
  readonly acceptsInlineCatalogs?: boolean
  readonly client?: ClientCapabilities | null
}

/**
 * Chooses the catalog supported by both sides; if the client names none, the server's first. A
 * catalog with inline types is for that client only.
 * @throws SurfaceError `no_common_catalog`, `inline_catalog_refused`, `invalid_catalog`; TypeError without
 * catalogs
 */
export function negotiateCatalog(options: NegotiateCatalogOptions): Catalog {
  const { catalogs, client, acceptsInlineCatalogs = false } = options
  const [first] = catalogs
  if (first === undefined) throw new TypeError('A server needs at least one catalog')
  const inline = client?.inlineCatalogs ?? []
  const supported = client?.supportedCatalogIds ?? []
  if (inline.length > 0 && !acceptsInlineCatalogs) {
    throw new SurfaceError({
      code: 'inline_catalog_refused',
      detail: 'This server does not accept catalogs from clients.',
    })
  }
  if (supported.length === 0 && inline.length === 0) return first
  const match = findFirst(supported, options)
  if (inline.length > 0) return withInline(match ?? first, inline)
  if (match !== undefined) return match
  throw new SurfaceError({
    code: 'no_common_catalog',
    detail: `The server has none of the catalogs of the client: ${supported.slice(0, 3).map(quote).join(', ')}.`,
  })
}

function findFirst(
  ids: readonly string[],
  { catalogs, catalogAliases = {} }: NegotiateCatalogOptions,
): Catalog | undefined {
  const known = new Map(catalogs.map((catalog) => [catalog.catalogId, catalog]))
  for (const id of ids) {
    const alias = ownValue(catalogAliases, id) ?? ownValue(aliasesV09, id)
    const found = known.get(id) ?? (typeof alias === 'string' ? known.get(alias) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

/** The base catalog overridden by the client's types and styles; later ones win. */
function withInline(base: Catalog, inline: readonly unknown[]): Catalog {
  let document = formatCatalog(base)
  for (const one of inline) {
    if (!isPlainObject(one)) {
      throw new SurfaceError({ code: 'invalid_catalog', detail: 'A catalog must be an object.' })
    }
    const checked = parseCatalog({ components: {}, ...one, catalogId: base.catalogId })
    document = mergeDocuments(document, formatCatalog(checked), base.catalogId)
  }
  return readCatalog(document, {}, trustedPatternsOf(base))
}

/**
 * Parses the value of `a2uiClientCapabilities` in a message's metadata, or the metadata itself.
 * @throws SurfaceError `invalid_type`, `missing_field`
 */
export function parseClientCapabilities(value: unknown): ClientCapabilities {
  const named = isPlainObject(value) ? ownValue(value, 'a2uiClientCapabilities') : undefined
  const given = named ?? value
  if (!isPlainObject(given)) throw wrong('invalid_type', 'Capabilities are an object.', '')
  const ids = ownValue(given, 'supportedCatalogIds')
  const inline = ownValue(given, 'inlineCatalogs')
  if (ids === undefined && inline === undefined) {
    throw wrong('missing_field', 'supportedCatalogIds is required.', '/supportedCatalogIds')
  }
  if (ids !== undefined && !(Array.isArray(ids) && ids.every((id) => typeof id === 'string'))) {
    throw wrong('invalid_type', 'supportedCatalogIds is a list of strings.', '/supportedCatalogIds')
  }
  if (inline !== undefined && !(Array.isArray(inline) && inline.every(isPlainObject))) {
    throw wrong('invalid_type', 'inlineCatalogs is a list of documents.', '/inlineCatalogs')
  }
  return {
    ...(ids === undefined ? {} : { supportedCatalogIds: [...ids] }),
    ...(inline === undefined ? {} : { inlineCatalogs: cloneJson(inline) }),
  }
}

function wrong(code: 'invalid_type' | 'missing_field', detail: string, path: string): SurfaceError {
  return new SurfaceError({ code, detail, path })
}

/** Address of the A2A extension, before the number of a version. */
const EXTENSION = 'https://a2ui.org/a2a-extension/a2ui/v'

/**
 * The first of a server's versions that a client asked for, with the address that it named; 0.9 and 0.9.1 serve each
 * other. Null if there is none.
 * @param options.requested a header value, a list, or headers with `A2A-Extensions` or `X-A2A-Extensions`
 */
export function negotiateA2aExtension({
  requested,
  versions,
}: {
  readonly requested: string | readonly string[] | Headers | null | undefined
  readonly versions: readonly Version[]
}): { readonly version: Version; readonly uri: string } | null {
  const uris = requestedUris(requested)
  for (const one of versions) {
    const version = readVersion(one)
    const family = familyOf(version)
    const served =
      family === '0.9' ? [versionNumber(version), '0.9', '0.9.1'] : [versionNumber(version)]
    for (const number of served) {
      if (uris.includes(EXTENSION + number)) return { version, uri: EXTENSION + number }
    }
  }
  return null
}

function requestedUris(
  requested: string | readonly string[] | Headers | null | undefined,
): string[] {
  if (requested === null || requested === undefined) return []
  if (typeof requested !== 'string' && 'get' in requested) {
    const values = [requested.get('a2a-extensions'), requested.get('x-a2a-extensions')]
    return values.flatMap((value) => requestedUris(value))
  }
  const list = typeof requested === 'string' ? [requested] : [...requested]
  return list.flatMap((value) => value.split(',').map((uri) => uri.trim()))
}

/** The extension entry for an agent's A2A card. */
export function formatA2aExtension({
  version,
  catalogs,
  acceptsInlineCatalogs = false,
}: {
  /** Default: 0.8. */
  readonly version?: Version
  readonly catalogs: readonly Catalog[]
  readonly acceptsInlineCatalogs?: boolean
}): JsonObject {
  return {
    uri: EXTENSION + versionNumber(readVersion(version)),
    required: false,
    params: {
      supportedCatalogIds: catalogs.map(({ catalogId }) => catalogId),
      acceptsInlineCatalogs,
    },
  }
}
