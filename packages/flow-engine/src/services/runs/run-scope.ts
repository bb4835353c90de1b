import type { PendingWrites } from '../base/pending-writes.ts'

/** The owner and the flow of a run. */
export interface RunScope {
  /** The owner of the flow. */
  readonly ownerId: string
  /** Id of the stored flow, which a public build does not run under. */
  readonly storedFlowId: string
  /** A public build: its messages are in no user's list. */
  readonly isPublic: boolean
  /** Someone other than the owner started the run; public builds always (AB-75). */
  readonly isForeign?: boolean
  /** The caller is unknown: stored variables and the environment are not read (MC-7). */
  readonly isAnonymous?: boolean
  /** The id that a run has in place of the stored flow's: a public build sees no other messages. */
  readonly runFlowId?: string | undefined
  /** Takes the messages that the run stores; without it the run waits for each. */
  readonly pending?: PendingWrites
}
