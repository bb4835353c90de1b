export type { AroundRequest, ObservedRequest, RequestEnd, RequestHooks } from '@x/wire'
export { defineComponent } from './components/define/define.ts'
export { field } from './components/define/field.ts'
export { output } from './components/define/output.ts'
export { createData } from './graph/values/data.ts'
export { createDataFrame } from './graph/values/data-frame.ts'
export { createMessage } from './graph/values/message.ts'
export type {
  BuildJobs,
  ForkOptions,
  JobRecord,
  PendingQuestion,
  VertexHistory,
  Poll,
  PollOptions,
  ScheduleEntry,
  ScheduleRecord,
} from './jobs/build-jobs.ts'
export type { BuildJobsOptions } from './jobs/build-jobs-options.ts'
export type { BuildRequest, StartRequest } from './jobs/build-request.ts'
export {
  fromElicitation,
  toElicitation,
  type ElicitationResult,
  type ElicitationSchema,
  type ElicitedQuestion,
  type Elicitation,
} from './jobs/elicitation.ts'
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
export type {
  FlowEvent,
  FlowEvents,
  McpCalled,
  ResponseCreated,
  ResponseFinished,
} from './events.ts'
export type { AnnotatedFlow, McpOptions } from './mcp/mcp-options.ts'
export type { ToolAnnotations } from './mcp/mcp-server.ts'
export { createCors, type Cors } from './http/access/cors.ts'
export { createHostGate } from './http/access/host-gate.ts'
export {
  createOidcSignIn,
  type OidcSignIn,
  type OidcSignInEnd,
  type OidcSignInOptions,
} from './http/access/oidc.ts'
export type { OidcIdentity } from './services/accounts/oidc-users.ts'
export { usernameProblem } from './services/accounts/users.ts'
export type {
  ComponentStoreOptions,
  FlowEngineOptions,
  HostAuthenticate,
  HostContext,
  HostIdentity,
} from './options.ts'
export type { QuotaStore } from './services/limits/run-quota.ts'
export type { PasswordHasher } from './services/crypto/passwords.ts'
export { createSecretBox, type SecretBox } from './services/crypto/secret-box.ts'
export type {
  ComponentPayload,
  ComponentQuery,
  ComponentStore,
  DownloadedComponent,
  StoreCaller,
} from './services/component-store/component-store.ts'
export type { Caller } from './services/base/caller.ts'
export type { ExampleFlow } from './services/flows/examples.ts'
export { FlowFileError, type FlowFiles } from './store/flow-files.ts'
export type { ProfilePictures } from './services/files/profile-pictures.ts'
export type { FlowServices } from './services/services.ts'
export { createSignInLimiter, type SignInLimiter } from './services/accounts/sign-in-limiter.ts'
export { defaultSettings, type FlowSettings } from './settings.ts'
