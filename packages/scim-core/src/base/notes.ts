/** What a request sent that was not stored as sent, for its audit entry. */
export interface Notes {
  /** Paths that were not stored, as sent, without values. */
  readonly ignored: Set<string>
  /** Canonical paths whose value was stored in another form than sent. */
  readonly adjusted: Set<string>
}

const PATH_LENGTH = 100

/** Notes a path that is not stored. */
export function noteIgnored(notes: Notes | undefined, path: string): void {
  notes?.ignored.add(path.length > PATH_LENGTH ? path.slice(0, PATH_LENGTH) : path)
}

/** Notes an attribute whose value is stored in another form than sent. */
export function noteAdjusted(notes: Notes | undefined, path: string): void {
  notes?.adjusted.add(path)
}
