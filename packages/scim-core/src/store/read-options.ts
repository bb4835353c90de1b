/** Options for reading a record. */
export interface GetOptions {
  /**
   * Within a transaction: locks the record against other writers until it ends (`select ... for update`).
   * Stores with exclusive transactions or without locks may ignore it, as `update` compares versions
   * anyway.
   */
  readonly forUpdate?: boolean
  /** For a user: its groups will be shown; a store may read them too, into `groups` of the record. */
  readonly withGroups?: boolean
}

/** Options for reading references. */
export interface BriefOptions {
  /**
   * Within a transaction: none of the records found is removed until it ends (`for key share`). Stores with
   * exclusive transactions may ignore it.
   */
  readonly keep?: boolean
}
