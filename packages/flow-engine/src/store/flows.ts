import type { Page, Slice } from './paging.ts'

/** A stored flow. */
export interface FlowRecord {
  readonly id: string
  readonly userId: string
  readonly folderId: string | null
  /** Unique for its user, compared exactly. */
  readonly name: string
  readonly description: string | null
  readonly icon: string | null
  readonly iconBgColor: string | null
  readonly gradient: string | null
  /**
   * The graph as JSON text, stored and returned unchanged; null if it is missing or was not asked
   * for.
   */
  readonly data: string | null
  readonly isComponent: boolean
  readonly webhook: boolean
  /** Unique for its user where not null. */
  readonly endpointName: string | null
  /**
   * The endpoint name of a flow that takes webhooks, under which callers without an account reach
   * it: unique over all users where not null.
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

/** Which flows of a user, all conditions joined by AND. */
export interface FlowQuery extends Slice {
  readonly userId: string
  /** Only those of this project. */
  readonly folderId?: string
  readonly ids?: readonly string[]
  readonly isComponent?: boolean
  /** Part of the name; ASCII letters fold, no character is special. */
  readonly search?: string
  /** `created`: order of insertion; `updated`: newest `updatedAt` first, equal times later insertion first. */
  readonly order: 'created' | 'updated'
  /** The records whose `data` is read; the others have null. */
  readonly data: 'all' | 'components' | 'none'
}

/** Flows. */
export interface FlowTable {
  /** The flow of any user. */
  get(id: string): Promise<FlowRecord | null>
  /** The first inserted flow of this endpoint name, of one user when `userId` is given. */
  findByEndpointName(endpointName: string, userId?: string): Promise<FlowRecord | null>
  /** The flow that takes the webhooks of this name. */
  findByWebhookName(webhookName: string): Promise<FlowRecord | null>
  list(query: FlowQuery): Promise<Page<FlowRecord>>
  /** Names of the user's flows that begin with `prefix` (no character is special). */
  names(userId: string, prefix: string): Promise<string[]>
  /** Endpoint names of the user's flows that begin with `prefix`. */
  endpointNames(userId: string, prefix: string): Promise<string[]>
  /** Webhook names over all users that begin with `prefix`. */
  webhookNames(prefix: string): Promise<string[]>
  /**
   * All or nothing, in order.
   * @throws UniqueConflictError `flow.id`, `flow.name`, `flow.endpointName`, `flow.webhookName`
   */
  insert(records: readonly FlowRecord[]): Promise<void>
  /**
   * The changed record; null when the user has none of this id.
   * @throws UniqueConflictError `flow.name` before `flow.endpointName` and `flow.webhookName`
   */
  update(userId: string, id: string, patch: FlowPatch): Promise<FlowRecord | null>
  /** Puts flows of the user into a project; others are passed over. `updatedAt` stays. */
  move(userId: string, ids: readonly string[], folderId: string): Promise<void>
  /**
   * Removes flows of the user with their versions, messages, transactions and vertex builds. Gives the ids
   * that were there, each once, in order of insertion.
   */
  remove(userId: string, ids: readonly string[]): Promise<string[]>
  /** Removes the messages, transactions and vertex builds of these flow ids that no flow has. */
  removeRecords(ids: readonly string[]): Promise<void>
}
