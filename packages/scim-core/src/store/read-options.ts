/** Options for reading a record. */
export interface GetOptions {
  /**
   * Inside a transaction: no other writer changes the record before it ends (`select ... for
   * update`). A store whose transactions are exclusive, or that has no locks, may ignore it: `update`
   * compares versions all the same.
   */
  readonly forUpdate?: boolean
  /**
   * For a user: its groups will be shown; a store may read them along, into `groups` of the record.
   */
  readonly withGroups?: boolean
}

/** Options for looking up references. */
export interface BriefOptions {
  /**
   * Inside a transaction: none of the records found is removed before it ends (`for key share`). A
   * store whose transactions are exclusive may ignore it.
   */
  readonly keep?: boolean
}
