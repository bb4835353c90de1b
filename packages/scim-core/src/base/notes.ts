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

/**
 * Puts what was ignored in the order of the keys of a body, in which known keys are read after unknown ones. An older
 * URN and a bare name stand where their extension stands, or at the end.
 */
export function orderIgnored(notes: Notes | undefined, keys: readonly string[]): void {
  if (notes === undefined || notes.ignored.size < 2) return
  const places = new Map(keys.map((key, place) => [key.slice(0, PATH_LENGTH).toLowerCase(), place]))
  const placeOf = (path: string): number => {
    const key = path.toLowerCase()
    const owner = key.startsWith('urn:') ? key.slice(0, key.lastIndexOf(':')) : key.split('.', 1)[0]
    return places.get(key) ?? places.get(owner ?? key) ?? keys.length
  }
  const found = [...notes.ignored].map((entry) => ({ entry, place: placeOf(entry[0]) }))
  notes.ignored.clear()
  for (const { entry } of found.toSorted((a, b) => a.place - b.place)) notes.ignored.set(...entry)
}

/** Notes an attribute whose value is stored in another form than sent. */
export function noteAdjusted(notes: Notes | undefined, path: string): void {
  notes?.adjusted.add(path)
}
