export { defineComponent } from './components/define/define.ts'
export { field } from './components/define/field.ts'
export { output } from './components/define/output.ts'
export { createData } from './graph/values/data.ts'
export { createDataFrame } from './graph/values/data-frame.ts'
export { createMessage } from './graph/values/message.ts'
export type {
  BuildJobs,
  BuildJobsOptions,
  BuildRequest,
  JobRecord,
  PendingQuestion,
  Poll,
  PollOptions,
} from './jobs/build-jobs.ts'
export { createBuildJobs } from './jobs/create-build-jobs.ts'
export type { JobSecretBox } from './jobs/job-seal.ts'
export {
  FatalError,
  FlowError,
  InvalidAnswerError,
  isFlowError,
  type FlowErrorCode,
} from './errors.ts'
export { createFlowEngine, type FlowEngine } from './engine.ts'
export type { FlowEvent, FlowEvents, McpCalled } from './events.ts'
export type { AnnotatedFlow, McpOptions } from './mcp/mcp-options.ts'
export type { ToolAnnotations } from './mcp/mcp-server.ts'
export { createHostGate } from './http/host-gate.ts'
export {
  createOidcSignIn,
  type OidcIdentity,
  type OidcSignIn,
  type OidcSignInOptions,
} from './http/oidc.ts'
export type {
  ComponentStoreOptions,
  FlowEngineOptions,
  HostAuthenticate,
  HostContext,
  HostIdentity,
} from './options.ts'
export type { PasswordHasher } from './services/passwords.ts'
export type { SecretBox } from './services/secrets.ts'
export type {
  ComponentPayload,
  ComponentQuery,
  ComponentStore,
  DownloadedComponent,
  StoreCaller,
} from './services/component-store.ts'
export type { Caller } from './services/caller.ts'
export type { ExampleFlow } from './services/examples.ts'
export { FlowFileError, type FlowFiles } from './services/flow-files.ts'
export type { ProfilePictures } from './services/profile-pictures.ts'
export type { FlowServices } from './services/services.ts'
export { createSignInLimiter, type SignInLimiter } from './services/sign-in-limiter.ts'
export { defaultSettings, type FlowSettings } from './settings.ts'
export { isBlobKey, isFileName, type BlobStore } from './store/blob-store.ts'
export type { ApiKeyRecord, ApiKeyStore, ApiKeyUse } from './store/api-keys.ts'
export type {
  TransactionRecord,
  TransactionStore,
  VertexBuildLimits,
  VertexBuildRecord,
  VertexBuildStore,
} from './store/build-records.ts'
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
} from './store/components.ts'
export type {
  CollectionKind,
  CollectionPage,
  CollectionRecord,
  CollectionRow,
  CollectionRows,
  CollectionSize,
  CollectionStore,
  Placed,
} from './store/collections.ts'
export type { FlowStore } from './store/flow-store.ts'
export type { FlowPatch, FlowQuery, FlowRecord, FlowTable } from './store/flows.ts'
export type {
  CheckpointStore,
  ClaimedJob,
  EventLog,
  JobOutcome,
  JobQueue,
  JobState,
  JobStore,
  LiveBus,
  JobRest,
  NewJob,
  PendingJobsQuery,
  StoredEvent,
  StoredJob,
} from './store/job-store.ts'
export type { McpServerRecord, McpServerStore } from './store/mcp-servers.ts'
export type {
  MessageOrder,
  MessagePatch,
  MessageQuery,
  MessageStore,
  StoredMessage,
} from './store/messages.ts'
export type { Page, Slice } from './store/paging.ts'
export type { ProjectPatch, ProjectRecord, ProjectStore } from './store/projects.ts'
export type {
  OidcLinkRecord,
  OidcLinkStore,
  RefreshFamilyRecord,
  RefreshFamilyStore,
  RefreshUse,
  RefreshUseResult,
} from './store/sign-in.ts'
export {
  isQueueFull,
  isStaleWriter,
  isStoreUnavailable,
  isUniqueConflict,
  QueueFullError,
  StaleWriterError,
  StoreUnavailableError,
  UniqueConflictError,
  type UniqueConstraint,
} from './store/store-error.ts'
export type { UserFilePatch, UserFileRecord, UserFileStore } from './store/user-files.ts'
export type { OnUserWrite, UserChange, UserPatch, UserRecord, UserStore } from './store/users.ts'
export type { VariablePatch, VariableRecord, VariableStore } from './store/variables.ts'
