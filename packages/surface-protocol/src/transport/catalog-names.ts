import type { Version } from '../data/version.ts'
import { SurfaceError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import { storeDialectOf } from '../store/dialects.ts'

const MAX_IDS = 64
const MAX_LENGTH = 2048

/** Names catalogs as a subscriber knows them. */
export interface CatalogNames {
  /** The message, with the subscriber's id if it creates a surface. */
  readonly name: (message: AnyServerMessage) => AnyServerMessage
}

/**
 * A createSurface names the first of the subscriber's ids that stands for the surface's catalog.
 * @param onUnknown called with a warning if none does; the message stays as it is then
 * @throws SurfaceError `limit_exceeded` (400) for more than 64 ids, or one of more than 2,048 characters
 */
export function createCatalogNames(
  ids: readonly string[],
  {
    version,
    aliases = {},
    onUnknown,
  }: {
    readonly version: Version
    readonly aliases?: Readonly<Record<string, string>> | undefined
    readonly onUnknown: (loss: SurfaceDiagnostic) => void
  },
): CatalogNames {
  checkIds(ids)
  const known = new Map(Object.entries({ ...storeDialectOf(version).catalogAliases, ...aliases }))
  const canonical = (id: string): string => known.get(id) ?? id
  return {
    name(message) {
      if (ids.length === 0 || !('createSurface' in message)) return message
      const { createSurface } = message
      const { surfaceId, catalogId } = createSurface
      if (typeof catalogId !== 'string') return message
      const wanted = canonical(catalogId)
      const found = ids.find((id) => canonical(id) === wanted)
      if (found === undefined) {
        onUnknown({
          code: 'lossy_conversion',
          severity: 'warning',
          message: 'The viewer has none of the names of the catalog.',
          path: '/createSurface/catalogId',
          surfaceId,
          related: ['catalogId'],
        })
        return message
      }
      const named = { ...createSurface, catalogId: found }
      return found === catalogId ? message : { ...message, createSurface: named }
    },
  }
}

function checkIds(ids: readonly string[]): void {
  const isRight = ids.length <= MAX_IDS && ids.every((id) => id.length <= MAX_LENGTH)
  if (isRight) return
  const detail = `A viewer may name ${MAX_IDS} catalogs, with ids of ${MAX_LENGTH} characters.`
  throw new SurfaceError({ code: 'limit_exceeded', status: 400, detail })
}

/**
 * The catalog ids that a request names, by the header `A2UI-Catalogs` (ids joined by commas) or the query parameter
 * `a2uiCatalogs` (the same, each id percent-encoded).
 * @throws SurfaceError `invalid_value` (400) for a broken encoding
 */
export function catalogsOf(request: Request): string[] {
  const header = request.headers.get('a2ui-catalogs')
  if (header !== null) return namesIn(header)
  const { search, searchParams } = new URL(request.url)
  const raw = /[?&]a2uiCatalogs=([^&]*)/.exec(search)?.[1] ?? ''
  // A comma that was encoded with the rest, as URLSearchParams does, separates as well.
  const list = raw.includes(',')
    ? raw.replaceAll('+', ' ')
    : (searchParams.get('a2uiCatalogs') ?? '')
  return namesIn(list).map((id) => {
    try {
      return decodeURIComponent(id)
    } catch {
      const detail = 'An id in a2uiCatalogs is not percent-encoded.'
      throw new SurfaceError({ code: 'invalid_value', status: 400, detail })
    }
  })
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
