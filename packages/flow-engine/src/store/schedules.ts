/** A request that starts jobs on a cron schedule. */
export interface StoredSchedule {
  readonly id: string
  readonly cron: string
  /** IANA name. */
  readonly timeZone: string
  readonly userId: string | null
  readonly flowId: string | null
  /** JSON text describing what to run; opaque to the store. */
  readonly request: string
  readonly missed: 'skip' | 'once'
  /** No job is started after it; null: no end. */
  readonly until: Date | null
  /** When the next job is due; null: never. */
  readonly nextAt: Date | null
  /** Time and id of the last job that was started. */
  readonly lastAt: Date | null
  readonly lastJobId: string | null
}

/** Schedules of jobs. Every operation that changes a schedule's state is atomic. */
export interface ScheduleStore {
  /**
   * Adds a schedule, or replaces the one with its id, keeping its `lastAt` and `lastJobId`. False if its user
   * (null: schedules without a user) has `most` others.
   */
  put(schedule: StoredSchedule, most: number): Promise<boolean>
  get(id: string): Promise<StoredSchedule | null>
  /** Ordered by id; only those of one user if given. */
  list(query: { readonly userId?: string | undefined }): Promise<StoredSchedule[]>
  /** Schedules with `nextAt` at or before `now`, earliest first. */
  due(now: Date, limit: number): Promise<StoredSchedule[]>
  /** Sets the next time and the started job. False if `nextAt` is no longer `from`. */
  advance(
    id: string,
    from: Date,
    to: Pick<StoredSchedule, 'nextAt'> & Partial<Pick<StoredSchedule, 'lastAt' | 'lastJobId'>>,
  ): Promise<boolean>
  /** False if it did not exist. */
  remove(id: string): Promise<boolean>
  /** Removes the schedules of these flows or of a user. */
  removeOf(owner: {
    readonly userId?: string | undefined
    readonly flowIds?: readonly string[] | undefined
  }): Promise<void>
}
