import type { Catalog } from '../catalog/catalog.ts'
import { familyOf, type Version } from '../data/version.ts'
import { quote, type SurfaceErrorCode } from '../diagnostics/errors.ts'
import { isPlainObject } from '../json.ts'
import type { AnySurfaceStore } from '../store/store.ts'
import { validateMessages } from '../store/validate-messages.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { describeFinding } from './model-hints.ts'

/** Judges a whole answer. */
export interface Completion {
  /** Messages to surfaces that nobody created become errors. */
  judge(parts: ExtractedPart[]): ExtractedPart[]
  /** One part for each fault of the whole answer. */
  end(): ExtractedPart[]
}

const CODES: ReadonlySet<SurfaceErrorCode> = new Set([
  'missing_root',
  'missing_child',
  'unreachable_component',
])

/** Creates a judge of one answer. */
export function createCompletion({
  version,
  catalogs,
  catalogAliases = {},
  surfaces = [],
}: {
  readonly version: Version
  readonly catalogs: readonly Catalog[] | undefined
  readonly catalogAliases?: Readonly<Record<string, string>> | undefined
  readonly surfaces?: Iterable<string> | AnySurfaceStore
}): Completion {
  const known = new Set('surfaceIds' in surfaces ? surfaces.surfaceIds() : surfaces)
  const messages: unknown[] = []
  const isV08 = familyOf(version) === '0.8'

  const judged = (part: ExtractedPart): ExtractedPart => {
    if (part.kind !== 'message' || !isPlainObject(part.message)) return part
    const [kind = '', payload] =
      Object.entries(part.message).find(([key]) => key !== 'version') ?? []
    const surfaceId = isPlainObject(payload) ? payload.surfaceId : undefined
    if (typeof surfaceId !== 'string') return part
    if (kind === 'createSurface') known.add(surfaceId)
    if (!isV08 && !known.has(surfaceId)) {
      const sentence = `The surface ${quote(surfaceId)} does not exist.`
      return {
        kind: 'error',
        code: 'surface_not_found',
        message: `${sentence} Send createSurface first.`,
        raw: JSON.stringify(part.message),
        diagnostics: [
          {
            code: 'surface_not_found',
            severity: 'error',
            message: sentence,
            path: `/${kind}/surfaceId`,
            surfaceId,
          },
        ],
      }
    }
    if (kind === 'deleteSurface') known.delete(surfaceId)
    messages.push(part.message)
    return part
  }

  return {
    judge: (parts) => parts.map(judged),
    end() {
      const options = {
        version,
        catalogAliases,
        complete: true,
        ...(catalogs === undefined ? {} : { catalogs }),
      }
      return validateMessages(messages, options)
        .filter(({ code, severity }) => severity === 'error' && CODES.has(code))
        .map((found) => ({
          kind: 'error',
          code: found.code,
          message: describeFinding(found, null),
          raw: '',
          diagnostics: [found],
        }))
    },
  }
}
