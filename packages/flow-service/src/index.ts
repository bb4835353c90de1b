export {
  createFlowEngine,
  createFlowService,
  type FlowEngine,
  type FlowServiceInstance,
} from './service.ts'
export type {
  FlowEvent,
  FlowEvents,
  McpCalled,
  ResponseCreated,
  ResponseFinished,
} from './events.ts'
export { createCors, type Cors } from './http/access/cors.ts'
export { createHostGate } from './http/access/host-gate.ts'
export {
  createOidcSignIn,
  type OidcSignIn,
  type OidcSignInEnd,
  type OidcSignInOptions,
} from './http/access/oidc.ts'
export type { AnnotatedFlow, McpOptions } from './mcp/mcp-options.ts'
export { groupSettings } from './option-groups.ts'
export type { ToolAnnotations } from './mcp/mcp-server.ts'
export type {
  ComponentStoreOptions,
  FlowEngineOptions,
  FlowStorage,
  HostAuthenticate,
  HostContext,
  KeyAgents,
  HostIdentity,
} from './options.ts'
export type { OidcIdentity } from './services/accounts/oidc-users.ts'
export { createSignInLimiter, type SignInLimiter } from './services/accounts/sign-in-limiter.ts'
export { usernameProblem } from './services/accounts/users.ts'
export type { Caller } from './services/base/caller.ts'
export type {
  ComponentPayload,
  ComponentQuery,
  ComponentStore,
  DownloadedComponent,
  StoreCaller,
} from './services/component-store/component-store.ts'
export type { PasswordHasher } from './services/crypto/passwords.ts'
export { UnreadableSecretsError } from './services/flows/unreadable-secrets.ts'
export type {
  Reencrypted,
  ReencryptOptions,
  SecretService,
  UnreadableValue,
} from './services/flows/stored-secrets.ts'
export { createSecretBox, type SecretBox } from './services/crypto/secret-box.ts'
export type { ProfilePictures } from './services/files/profile-pictures.ts'
export type { ExampleFlow } from './services/flows/examples.ts'
export type {
  BudgetLimit,
  BudgetScope,
  BudgetsOptions,
  BudgetWindow,
} from './services/budgets/budget-options.ts'
export type { QuotaStore } from './services/runs/run-quota.ts'
export type { FlowServices } from './services/services.ts'
export type {
  AuthSettings,
  EditorSettings,
  FlowServiceDoors,
  FlowServiceLimits,
  FlowServiceObservers,
  FlowServiceOptions,
  FlowServiceOverrides,
  FlowServiceSettings,
  HttpSettings,
  RecordSettings,
  SessionSettings,
  VariableSettings,
} from './service-options.ts'
export { defaultSettings, type FlowSettings } from './settings.ts'
export { FlowFileError, type FlowFiles } from './store/flow-files.ts'
export type { AroundRequest, ObservedRequest, RequestEnd, RequestHooks } from '@x/wire'
