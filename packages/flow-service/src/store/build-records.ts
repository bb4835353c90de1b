import type { Page, Slice } from '@x/flow-engine/store'

/** One build of one vertex, as shown by the monitor. */
export interface VertexBuildRecord {
  readonly buildId: string
  /** The node id. */
  readonly vertexId: string
  /** A stored flow, or the derived id of a public build. */
  readonly flowId: string
  /** The user it counts for; null for visitors of public flows. */
  readonly ownerId: string | null
  readonly timestamp: Date
  readonly valid: boolean
  readonly params: string | null
  /** JSON text. */
  readonly data: string
  /** JSON text. */
  readonly artifacts: string
}

/** Number of builds kept when new ones are written. */
export interface VertexBuildLimits {
  /** Newest builds of each vertex of a flow. */
  readonly perVertex: number
  /** Newest builds of each user, and of all visitors together. */
  readonly perOwner: number
}

/** Vertex builds. */
export interface VertexBuildStore {
  /** Appends records and removes those over the limits; up to a twentieth more per owner may remain for a while. */
  append(records: readonly VertexBuildRecord[], limits: VertexBuildLimits): Promise<void>
  /** The newest build of each vertex of a flow, in insertion order. */
  latest(flowId: string): Promise<VertexBuildRecord[]>
  /**
   * The same in parts of a bounded size, each read on demand. Without this method, `latest` is
   * used.
   */
  latestParts?(flowId: string): AsyncIterable<readonly VertexBuildRecord[]>
  removeOfFlow(flowId: string): Promise<void>
  /** Removes builds older than `before` whose flow id belongs to no stored flow (public builds). */
  trimPublic(before: Date): Promise<void>
}

/** One executed vertex of a build or run. */
export interface TransactionRecord {
  readonly id: string
  readonly flowId: string
  /** The user it counts for; null for visitors of public flows. */
  readonly ownerId: string | null
  readonly timestamp: Date
  readonly vertexId: string
  readonly targetId: string | null
  /** JSON text of an object, or null. */
  readonly inputs: string | null
  /** JSON text of an object, or null. */
  readonly outputs: string | null
  readonly status: 'success' | 'error'
  readonly error: string | null
}

/** Transactions. */
export interface TransactionStore {
  /**
   * Appends and keeps the newest `keep` of each flow; up to a twentieth more may remain for a while. Visitors
   * have separate flow ids, so for visitors the newest `keep` in total are kept.
   */
  append(records: readonly TransactionRecord[], keep: number): Promise<void>
  /** In insertion order. */
  list(flowId: string, slice: Slice): Promise<Page<TransactionRecord>>
  /**
   * The rows of `list` in parts of a bounded size, each read on demand. Without this method,
   * `list` is used.
   */
  parts?(flowId: string, slice: Slice): AsyncIterable<readonly TransactionRecord[]>
  removeOfFlow(flowId: string): Promise<void>
  /** Removes transactions of visitors older than `before`. */
  trimPublic(before: Date): Promise<void>
}
