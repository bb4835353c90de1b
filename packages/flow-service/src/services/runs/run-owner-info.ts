import type { WriteTracker } from './write-tracker.ts'

/** The owner and flow of a run. */
export interface RunOwnerInfo {
  /** The owner of the flow. */
  readonly ownerId: string
  /** Id of the stored flow; public builds run under a different id. */
  readonly storedFlowId: string
  /** A public build: its messages appear in no user's list. */
  readonly isPublic: boolean
  /** True if someone other than the owner started the run; always for public builds. */
  readonly isForeign?: boolean
  /** The caller is unknown, so stored variables and the environment are not read. */
  readonly isAnonymous?: boolean
  /** The id used instead of the stored flow's, so that a public build sees only its own messages. */
  readonly runFlowId?: string | undefined
  /** The hash of the API key with which the run was started. */
  readonly keyHash?: string | undefined
  /** Collects the message writes of the run; without it the run awaits each one. */
  readonly pending?: WriteTracker
}
