import { quote } from '../diagnostics/errors.ts'
import { readDataPath, type DataPath } from './data-path.ts'
import type { Report } from '../diagnostics/report.ts'

/**
 * Parses a path at the current position of the report; null if it is invalid or too long.
 */
export function checkPath(path: string, report: Report): DataPath | null {
  const { pathLength, pathSegments } = report.limits
  if (path.length > pathLength) {
    report.exceeds('pathLength')
    return null
  }
  const parsed = readDataPath(path)
  if (parsed === null) {
    report.add('invalid_path', `In the path ${quote(path)} a "~" is neither "~0" nor "~1".`)
    return null
  }
  if (parsed.segments.length > pathSegments) {
    report.exceeds('pathSegments')
    return null
  }
  return parsed
}

/** Returns whether a path needs no further check because it is short and without escapes. */
export function isPlainPath(path: string, report: Report): boolean {
  const { pathLength, pathSegments } = report.limits
  return path.length <= pathLength && path.length <= pathSegments && !path.includes('~')
}
