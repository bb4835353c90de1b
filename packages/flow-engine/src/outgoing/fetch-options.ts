/** Which addresses a guarded fetch may reach. */
export interface GuardedFetchOptions {
  /** Host names, addresses or CIDR ranges in private ranges that are allowed; none by default. */
  readonly allow?: readonly string[]
  /** Milliseconds to connect; 10,000. Where the runtime has no sockets: without effect. */
  readonly connectTimeoutMs?: number
}
