import type { Page } from './paging.ts'

/** How a run ended. */
export type RunTraceState = 'succeeded' | 'failed' | 'cancelled'

/** One run that was no job: what the lists of traces show of it. */
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
  /** JSON text: its spans, texts, tokens and warnings. */
  readonly details: string
}

/** The runs of one owner that all conditions name. */
export interface RunTraceQuery {
  readonly ownerId: string
  readonly flowId?: string | undefined
  readonly sessionId?: string | undefined
  readonly states?: readonly RunTraceState[] | undefined
  /** Started at that time or later. */
  readonly from?: Date | undefined
  /** Started at that time or earlier. */
  readonly to?: Date | undefined
  readonly offset: number
  readonly limit: number
}

/** Traces of runs that were no jobs (OP-5). */
export interface RunTraceStore {
  /** Appends and keeps the newest `keep` of each owner, in order of insertion. */
  append(records: readonly RunTraceRecord[], keep: number): Promise<void>
  /** The last started first; of those of one millisecond the last inserted. */
  list(query: RunTraceQuery): Promise<Page<RunTraceSummary>>
  /** Null where this owner has none of that id. */
  get(ownerId: string, id: string): Promise<RunTraceRecord | null>
}
