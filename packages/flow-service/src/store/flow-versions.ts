import type { Slice } from '@x/flow-engine/store'

/** A stored copy of a flow's graph. */
export interface FlowVersionRecord {
  readonly id: string
  readonly flowId: string
  readonly userId: string
  /** Counts up from 1 for each flow; never reused. */
  readonly number: number
  readonly description: string | null
  /** The graph as JSON text, returned unchanged; null if there is none or it was not requested. */
  readonly data: string | null
  readonly createdAt: Date
}

/** A version to store. Its data is stored once if another version of the flow has the same hash. */
export interface NewFlowVersion extends Omit<FlowVersionRecord, 'number'> {
  /** Hash of `data`; null without data. */
  readonly hash: string | null
}

/** Versions of flows. Removing a flow removes its versions. */
export interface FlowVersionStore {
  /**
   * Adds the next version of a flow and removes its oldest ones beyond `keep`. Null if the user has no such
   * flow. Concurrent writers get consecutive numbers.
   * @throws UniqueConflictError `flowVersion.id`
   */
  add(version: NewFlowVersion, keep: number): Promise<FlowVersionRecord | null>
  get(flowId: string, id: string): Promise<FlowVersionRecord | null>
  findByNumber(flowId: string, number: number): Promise<FlowVersionRecord | null>
  /** Newest first, without data. */
  list(flowId: string, slice: Slice): Promise<FlowVersionRecord[]>
  /** False if it did not exist. */
  remove(flowId: string, id: string): Promise<boolean>
}
