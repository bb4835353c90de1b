import type { Slice } from './paging.ts'

/** A kept copy of the graph of a flow (DR-60). */
export interface FlowVersionRecord {
  readonly id: string
  readonly flowId: string
  readonly userId: string
  /** Counts up from 1 for each flow; never given twice. */
  readonly number: number
  readonly description: string | null
  /** The graph as JSON text, returned unchanged; null if it is missing or was not asked for. */
  readonly data: string | null
  readonly createdAt: Date
}

/** A version to be kept. Its data is stored once where a version of the flow has the same hash. */
export interface NewFlowVersion extends Omit<FlowVersionRecord, 'number'> {
  /** Of `data`; null without data. */
  readonly hash: string | null
}

/** Versions of flows. Removing a flow removes its versions. */
export interface FlowVersionStore {
  /**
   * Keeps the next version of a flow and removes its oldest ones beyond `keep`. Null when the user has
   * no such flow. Writers at the same time get numbers one after another.
   * @throws UniqueConflictError `flowVersion.id`
   */
  add(version: NewFlowVersion, keep: number): Promise<FlowVersionRecord | null>
  get(flowId: string, id: string): Promise<FlowVersionRecord | null>
  findByNumber(flowId: string, number: number): Promise<FlowVersionRecord | null>
  /** Newest first, without data. */
  list(flowId: string, slice: Slice): Promise<FlowVersionRecord[]>
  /** False when there was none. */
  remove(flowId: string, id: string): Promise<boolean>
}
