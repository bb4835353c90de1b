/** A request that starts a job at the times of a cron text (DR-58). */
export interface StoredSchedule {
  readonly id: string
  readonly cron: string
  /** IANA name. */
  readonly timeZone: string
  readonly userId: string | null
  readonly flowId: string | null
  /** JSON text of what is to be run; opaque to the store. */
  readonly request: string
  readonly missed: 'skip' | 'once'
  /** No time after it; null: no end. */
  readonly until: Date | null
  /** The next time at which a job is due; null: none comes any more. */
  readonly nextAt: Date | null
  /** The time of the last job that was started, and its id. */
  readonly lastAt: Date | null
  readonly lastJobId: string | null
}

/** Schedules of jobs. Every step that decides is one atomic step. */
export interface ScheduleStore {
  /**
   * Adds a schedule, or replaces the one of its id; `lastAt` and `lastJobId` of that one stay. False when
   * its user (null: those without one) has `most` others.
   */
  put(schedule: StoredSchedule, most: number): Promise<boolean>
  get(id: string): Promise<StoredSchedule | null>
  /** In the order of their ids; those of one user where one is named. */
  list(query: { readonly userId?: string | undefined }): Promise<StoredSchedule[]>
  /** Those with `nextAt` at `now` or before, earliest first. */
  due(now: Date, limit: number): Promise<StoredSchedule[]>
  /** Sets the next time, and what was started. False when `nextAt` is no longer `from`. */
  advance(
    id: string,
    from: Date,
    to: Pick<StoredSchedule, 'nextAt'> & Partial<Pick<StoredSchedule, 'lastAt' | 'lastJobId'>>,
  ): Promise<boolean>
  /** False when there was none. */
  remove(id: string): Promise<boolean>
  /** Removes the schedules of these flows, or of a user. */
  removeOf(owner: {
    readonly userId?: string | undefined
    readonly flowIds?: readonly string[] | undefined
  }): Promise<void>
}
