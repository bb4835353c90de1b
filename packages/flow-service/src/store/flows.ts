import type { Page, Slice } from '@x/flow-engine/store'

/** A stored flow. */
export interface FlowRecord {
  readonly id: string
  readonly userId: string
  readonly folderId: string | null
  /** Unique per user, compared exactly. */
  readonly name: string
  readonly description: string | null
  readonly icon: string | null
  readonly iconBgColor: string | null
  readonly gradient: string | null
  /** The graph as JSON text, stored and returned unchanged; null if there is none or it was not requested. */
  readonly data: string | null
  readonly isComponent: boolean
  readonly webhook: boolean
  /** Unique per user if not null. */
  readonly endpointName: string | null
  /**
   * The endpoint name of a flow that accepts webhooks, used by callers without an account: globally unique if
   * not null.
   */
  readonly webhookName: string | null
  readonly tags: readonly string[] | null
  readonly locked: boolean
  readonly mcpEnabled: boolean
  readonly actionName: string | null
  readonly actionDescription: string | null
  readonly accessType: 'PRIVATE' | 'PUBLIC'
  readonly fsPath: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Fields to change; absent means unchanged. */
export type FlowPatch = Partial<Omit<FlowRecord, 'id' | 'userId' | 'createdAt'>>

/** Selects flows of a user; all conditions apply. */
export interface FlowQuery extends Slice {
  readonly userId: string
  /** Only those of this project. */
  readonly folderId?: string
  readonly ids?: readonly string[]
  readonly isComponent?: boolean
  /** Part of the name; case-insensitive for ASCII, no character is special. */
  readonly search?: string
  /** `created`: insertion order. `updated`: newest `updatedAt` first, ties by latest insertion. */
  readonly order: 'created' | 'updated'
  /** The records whose `data` is read; others have null. */
  readonly data: 'all' | 'components' | 'none'
}

/** Flows. */
export interface FlowTable {
  /** A flow of any user. */
  get(id: string): Promise<FlowRecord | null>
  /** The first inserted flow with this endpoint name, only of one user if `userId` is given. */
  findByEndpointName(endpointName: string, userId?: string): Promise<FlowRecord | null>
  /** The flow that accepts webhooks under this name. */
  findByWebhookName(webhookName: string): Promise<FlowRecord | null>
  list(query: FlowQuery): Promise<Page<FlowRecord>>
  /**
   * The items of `list` in parts of a bounded size, each read on demand, so that many large graphs
   * are neither read in one step nor held together. Without this method, `list` is used.
   */
  parts?(query: FlowQuery): AsyncIterable<readonly FlowRecord[]>
  /** Names of the user's flows with this prefix (no character is special). */
  names(userId: string, prefix: string): Promise<string[]>
  /** Endpoint names of the user's flows with this prefix. */
  endpointNames(userId: string, prefix: string): Promise<string[]>
  /** Webhook names of all users with this prefix. */
  webhookNames(prefix: string): Promise<string[]>
  /**
   * All or nothing, in order.
   * @throws UniqueConflictError `flow.id`, `flow.name`, `flow.endpointName`, `flow.webhookName`
   */
  insert(records: readonly FlowRecord[]): Promise<void>
  /**
   * The changed record; null if the user has no such flow.
   * @throws UniqueConflictError `flow.name` before `flow.endpointName` and `flow.webhookName`
   */
  update(userId: string, id: string, patch: FlowPatch): Promise<FlowRecord | null>
  /** Moves flows of the user to a project; other flows are ignored. `updatedAt` is unchanged. */
  move(userId: string, ids: readonly string[], folderId: string): Promise<void>
  /**
   * Removes flows of the user with their versions, messages, transactions and vertex builds. Returns the ids
   * of the removed flows without duplicates, in insertion order.
   */
  remove(userId: string, ids: readonly string[]): Promise<string[]>
  /**
   * Removes the messages, transactions and vertex builds of those ids that belong to no flow, and the traces
   * that an owner has of them.
   */
  removeRecords(ids: readonly string[], ownerId?: string): Promise<void>
}
