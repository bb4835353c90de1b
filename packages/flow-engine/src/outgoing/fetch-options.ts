/** Options of a guarded fetch. */
export interface GuardedFetchOptions {
  /** Private host names, addresses or CIDR ranges that may be reached. Default none. */
  readonly allow?: readonly string[]
  /** Connection timeout in milliseconds. Default 10,000. No effect in runtimes without sockets. */
  readonly connectTimeoutMs?: number
}
