import { ScimError } from '../base/errors.ts'
import type { Call } from './call.ts'

/** Compares `If-Match` with the current version. @throws ScimError version_mismatch */
export function assertMatch({ ifMatch }: Call, version: number): void {
  if (ifMatch !== null && !matchesTag(ifMatch, version)) {
    throw new ScimError('version_mismatch', 'The resource was changed since it was read.')
  }
}

/** Weak comparison of a version with a list of entity tags, or `*`. */
export function matchesTag(header: string, version: number): boolean {
  return header.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag.replace(/^W\//, '') === `"${version}"`
  })
}
