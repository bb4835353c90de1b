export type { ApiKeyRecord, ApiKeyStore, ApiKeyUse } from './store/api-keys.ts'
export type { AuditAction, AuditQuery, AuditRecord, AuditStore } from './store/audit.ts'
export {
  isBlobKey,
  isFileName,
  type BlobBody,
  type BlobStage,
  type BlobStore,
} from './store/blob-store.ts'
export type {
  TransactionRecord,
  TransactionStore,
  VertexBuildLimits,
  VertexBuildRecord,
  VertexBuildStore,
} from './store/build-records.ts'
export {
  BUDGET_HOLD_MS,
  type BudgetCount,
  type BudgetShare,
  type BudgetStore,
} from './store/budgets.ts'
export type {
  CollectionKind,
  CollectionPage,
  CollectionRecord,
  CollectionRow,
  CollectionRows,
  CollectionSize,
  CollectionStore,
  Position,
} from './store/collections.ts'
export type { CountedKind, CountStore } from './store/counts.ts'
export {
  SEALED_KINDS,
  type SealedKind,
  type SealedSlice,
  type SealedValue,
  type SealedValueStore,
} from './store/sealed-values.ts'
export { endSessions } from './store/end-sessions.ts'
export type { FlowStore } from './store/flow-store.ts'
export type { FlowVersionRecord, FlowVersionStore, NewFlowVersion } from './store/flow-versions.ts'
export type { FlowPatch, FlowQuery, FlowRecord, FlowTable } from './store/flows.ts'
export type { McpServerRecord, McpServerStore } from './store/mcp-servers.ts'
export type {
  MessageOrder,
  MessagePartsQuery,
  MessagePatch,
  StoredMessageQuery,
  MessageStore,
  StoredMessage,
} from './store/messages.ts'
export type { ProjectPatch, ProjectRecord, ProjectStore } from './store/projects.ts'
export type {
  RunTraceQuery,
  RunTraceRecord,
  RunTraceState,
  RunTraceStore,
  RunTraceSummary,
} from './store/run-traces.ts'
export type {
  LikeStore,
  SharedComponentOrder,
  SharedComponentPatch,
  SharedComponentQuery,
  SharedComponentRecord,
  SharedComponentStore,
  SharedComponentView,
  TagRecord,
  TagStore,
} from './store/shared-components.ts'
export type {
  OidcLinkRecord,
  OidcLinkStore,
  RefreshFamilyRecord,
  RefreshFamilyStore,
  RefreshUse,
  RefreshUseResult,
} from './store/sign-in.ts'
export type { UserFilePatch, UserFileRecord, UserFileStore } from './store/user-files.ts'
export type {
  OnUserWrite,
  SharedUserChanges,
  UserChange,
  UserPatch,
  UserRecord,
  UserStore,
} from './store/users.ts'
export type { VariablePatch, VariableRecord, VariableStore } from './store/variables.ts'
