import type { ApiKeyStore } from './api-keys.ts'
import type { TransactionStore, VertexBuildStore } from './build-records.ts'
import type { BudgetStore } from './budgets.ts'
import type { CollectionStore } from './collections.ts'
import type { CountStore } from './counts.ts'
import type { LikeStore, SharedComponentStore, TagStore } from './shared-components.ts'
import type { FlowTable } from './flows.ts'
import type { FlowVersionStore } from './flow-versions.ts'
import type { McpServerStore } from './mcp-servers.ts'
import type { MessageStore } from './messages.ts'
import type { ProjectStore } from './projects.ts'
import type { OidcLinkStore, RefreshFamilyStore } from './sign-in.ts'
import type { RunTraceStore } from './run-traces.ts'
import type { SealedValueStore } from './sealed-values.ts'
import type { UserFileStore } from './user-files.ts'
import type { UserStore } from './users.ts'
import type { VariableStore } from './variables.ts'

/**
 * All data of the flow service, grouped by noun. Rules for every store:
 *
 * - callers supply all values (ids, times, hashes); the store generates none;
 * - a missing record is `null` or `false`; a store throws only UniqueConflictError and StoreUnavailableError;
 * - "in order of insertion" is a total order, also within one millisecond; the value it is based on is
 *   internal;
 * - objects passed in and returned are copies; times keep milliseconds; strings are any Unicode, including
 *   U+0000 in columns that users write; JSON columns are returned deeply equal;
 * - ids of users, flows and so on are lower-case UUIDs.
 */
export interface FlowStore {
  readonly users: UserStore
  readonly apiKeys: ApiKeyStore
  readonly variables: VariableStore
  readonly projects: ProjectStore
  readonly flows: FlowTable
  readonly versions: FlowVersionStore
  readonly userFiles: UserFileStore
  readonly messages: MessageStore
  readonly vertexBuilds: VertexBuildStore
  readonly transactions: TransactionStore
  readonly runTraces: RunTraceStore
  readonly components: SharedComponentStore
  readonly tags: TagStore
  readonly likes: LikeStore
  readonly mcpServers: McpServerStore
  readonly refreshFamilies: RefreshFamilyStore
  readonly oidcLinks: OidcLinkStore
  readonly collections: CollectionStore
  readonly counts: CountStore
  /** Needed to change the secret key; a store without it cannot encrypt its values again. */
  readonly sealed?: SealedValueStore
  readonly budgets: BudgetStore
  /**
   * Runs `work` with a store bound to a transaction, which is rolled back if it throws. Within it, only the
   * bound store may be used. Nested transactions join the outer one.
   */
  transaction<T>(work: (store: FlowStore) => Promise<T>): Promise<T>
  /** Resolves if the store responds; rejects with StoreUnavailableError otherwise. */
  ping(): Promise<void>
}
