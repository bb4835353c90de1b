/** A component store of a host's own; filled in below. */
export interface ComponentStore {
  list(): unknown
}
