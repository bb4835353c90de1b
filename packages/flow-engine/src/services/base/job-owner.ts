/** The owner of jobs to end: flows, or a user. */
export interface JobOwner {
  readonly flowIds?: readonly string[]
  readonly userId?: string
  /** The user is removed for good, not only blocked: their schedules go too. Flows always are. */
  readonly isRemoved?: boolean
}
