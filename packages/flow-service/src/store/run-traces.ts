import type { Page } from '@x/flow-engine/store'

/** How a run ended. */
export type RunTraceState = 'succeeded' | 'failed' | 'cancelled'

/** A run that was not a job, as shown in lists of traces. */
export interface RunTraceSummary {
  readonly id: string
  readonly flowId: string
  /** The owner of the flow. */
  readonly ownerId: string
  readonly sessionId: string
  readonly state: RunTraceState
  readonly startedAt: Date
  readonly finishedAt: Date
  readonly inputTokens: number
  readonly outputTokens: number
  readonly error: string | null
}

export interface RunTraceRecord extends RunTraceSummary {
  /** JSON text: spans, texts, token usage and warnings. */
  readonly details: string
}

/** Selects runs of one owner; all conditions apply. */
export interface RunTraceQuery {
  readonly ownerId: string
  readonly flowId?: string | undefined
  readonly sessionId?: string | undefined
  readonly states?: readonly RunTraceState[] | undefined
  /** Started at this time or later. */
  readonly from?: Date | undefined
  /** Started at this time or earlier. */
  readonly to?: Date | undefined
  readonly offset: number
  readonly limit: number
}

/** Traces of runs that were not jobs. */
export interface RunTraceStore {
  /**
   * Appends and keeps the newest `keep` of each owner, in insertion order; up to a twentieth more may remain for
   * a while.
   */
  append(records: readonly RunTraceRecord[], keep: number): Promise<void>
  /** Latest start first; ties by latest insertion. */
  list(query: RunTraceQuery): Promise<Page<RunTraceSummary>>
  /** Null if the owner has no such trace. */
  get(ownerId: string, id: string): Promise<RunTraceRecord | null>
}
