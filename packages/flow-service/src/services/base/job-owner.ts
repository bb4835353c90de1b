/** Whose jobs to end: those of flows, or of a user. */
export interface JobOwner {
  readonly flowIds?: readonly string[]
  readonly userId?: string
  /**
   * True if the user is deleted rather than blocked, so the schedules are removed too. Flows are always
   * deleted.
   */
  readonly isRemoved?: boolean
}
