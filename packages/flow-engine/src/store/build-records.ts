import type { Page, Slice } from './paging.ts'

/** One build of one vertex, as the monitor shows it. */
export interface VertexBuildRecord {
  readonly buildId: string
  /** The node. */
  readonly vertexId: string
  /** A stored flow, or the derived id of a public build. */
  readonly flowId: string
  /** The user whom it counts for; null for the builds of visitors of public flows (AB-74). */
  readonly ownerId: string | null
  readonly timestamp: Date
  readonly valid: boolean
  readonly params: string | null
  /** JSON text. */
  readonly data: string
  /** JSON text. */
  readonly artifacts: string
}

/** Number of builds that remain when new ones are written. */
export interface VertexBuildLimits {
  /** Newest of one vertex of one flow. */
  readonly perVertex: number
  /** Newest of each user, and of all visitors together (AB-74). */
  readonly perOwner: number
}

/** Vertex builds. */
export interface VertexBuildStore {
  /** Appends and removes what is over the limits. */
  append(records: readonly VertexBuildRecord[], limits: VertexBuildLimits): Promise<void>
  /** The newest build of each vertex of a flow, in order of insertion of these. */
  latest(flowId: string): Promise<VertexBuildRecord[]>
  removeOfFlow(flowId: string): Promise<void>
  /** Removes builds of flow ids that no stored flow has (public builds) and that are older than `before`. */
  trimPublic(before: Date): Promise<void>
}

/** One executed vertex of a build or run. */
export interface TransactionRecord {
  readonly id: string
  readonly flowId: string
  /** The user whom it counts for; null for the builds of visitors of public flows (AB-74). */
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
   * Appends and keeps the newest `keep` of each flow. Each visitor of a public flow has a flow id of
   * its own, so of visitors' the newest `keep` in all are kept (AB-74).
   */
  append(records: readonly TransactionRecord[], keep: number): Promise<void>
  /** In order of insertion. */
  list(flowId: string, slice: Slice): Promise<Page<TransactionRecord>>
  removeOfFlow(flowId: string): Promise<void>
  /** Removes transactions of visitors that are older than `before`. */
  trimPublic(before: Date): Promise<void>
}
