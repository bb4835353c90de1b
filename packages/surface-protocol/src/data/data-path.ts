import { quote, SurfaceError } from '../diagnostics/errors.ts'
import { formatPointer } from '../json.ts'

/** A location in a data model. */
export interface DataPath {
  /** True with a leading slash; otherwise it is relative to its scope. */
  readonly absolute: boolean
  readonly segments: string[]
}

/**
 * Parses a path: a JSON Pointer with an optional leading slash; empty segments are dropped.
 * @throws SurfaceError `invalid_path` for a `~` that is not part of `~0` or `~1`
 */
export function parseDataPath(path: string): DataPath {
  const parsed = readDataPath(path)
  if (parsed === null) {
    throw new SurfaceError({
      code: 'invalid_path',
      detail: `In the path ${quote(path)} a "~" is neither "~0" nor "~1".`,
    })
  }
  return parsed
}

/** The same, but returns null for an invalid path. */
export function readDataPath(path: string): DataPath | null {
  const absolute = path.startsWith('/')
  if (!path.includes('~')) return { absolute, segments: split(path) }
  if (/~(?![01])/.test(path)) return null
  const segments = split(path).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return { absolute, segments }
}

/** Formats segments as an absolute path; `""` for none. */
export function formatDataPath(segments: readonly string[]): string {
  return formatPointer(segments)
}

function split(path: string): string[] {
  const segments: string[] = []
  let start = 0
  while (start < path.length) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    if (end > start) segments.push(path.slice(start, end))
    start = end + 1
  }
  return segments
}

/** Returns whether one location equals or contains the other. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) if (a[i] !== b[i]) return false
  return true
}
