/** Why a part of a request was not stored. */
export type IgnoredReason = 'unknown_attribute' | 'unknown_extension' | 'given_twice' | 'no_value'

/** What a request sent that was not stored as sent, for its audit entry. */
export interface Notes {
  /** Paths that were not stored, as sent, without values, and why. */
  readonly ignored: Map<string, IgnoredReason>
  /** Canonical paths whose value was stored in another form than sent. */
  readonly adjusted: Set<string>
}

const PATH_LENGTH = 100

/** Notes a path that is not stored. */
export function noteIgnored(
  notes: Notes | undefined,
  path: string,
  reason: IgnoredReason = 'unknown_attribute',
): void {
  notes?.ignored.set(path.length > PATH_LENGTH ? path.slice(0, PATH_LENGTH) : path, reason)
}

/** Notes an attribute whose value is stored in another form than sent. */
export function noteAdjusted(notes: Notes | undefined, path: string): void {
  notes?.adjusted.add(path)
}
