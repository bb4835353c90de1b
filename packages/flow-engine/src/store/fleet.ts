/** What a process that shares a queue says of itself. */
export interface FleetProcess {
  /** Unique: the name that the host gave, or one of its own, and a number. */
  readonly name: string
  readonly role: 'all' | 'web' | 'worker'
  readonly version: string | null
  readonly startedAt: Date
  /** Jobs that it runs, and may run. */
  readonly running: number
  readonly places: number
  /** How late its event loop was last, in milliseconds. */
  readonly eventLoopMs: number
  /** How far its clock is ahead of that of the store. */
  readonly clockOffsetMs: number
  /** It claims nothing more. */
  readonly draining: boolean
}

/** The jobs of all processes, and those who run them. */
export interface FleetState {
  /** By the clock of the store. */
  readonly at: Date
  /** Those that were seen in the last 10 minutes, by name. */
  readonly processes: readonly (FleetProcess & { readonly seenAt: Date })[]
  readonly queued: number
  readonly running: number
  readonly suspended: number
  /** Waiting jobs whose last process died. */
  readonly suspects: number
  readonly oldestQueuedAt: Date | null
  /** The end of the lease that ends first. */
  readonly firstLeaseUntil: Date | null
  readonly expiredLeases: number
  readonly endedLastMinute: Readonly<Record<'succeeded' | 'failed' | 'cancelled', number>>
  /** The 20 users with most waiting jobs; null: jobs without a user. */
  readonly users: readonly {
    readonly userId: string | null
    readonly queued: number
    readonly running: number
    readonly oldestQueuedAt: Date | null
  }[]
  /** Absent where the store cannot tell. */
  readonly database?: FleetDatabase
}

export interface FleetDatabase {
  readonly connections: number
  readonly maxConnections: number
  readonly oldestTransactionSeconds: number
  /** Who keeps it open, if it is older than a minute. */
  readonly oldestTransaction: { readonly application: string; readonly state: string } | null
  readonly bytes: { readonly jobs: number; readonly log: number; readonly checkpoints: number }
  /** Dead rows for each live one. */
  readonly deadRatio: number
}
