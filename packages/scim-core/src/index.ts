export { type ScimAuth } from './options/auth.ts'
export { AGENT_URN, createAgentTypes } from './options/agent-types.ts'
export type { BriefOptions, GetOptions } from './store/read-options.ts'
export {
  InvalidFilterError,
  isScimConfigError,
  isScimError,
  SCIM_ERRORS,
  ScimConfigError,
  ScimError,
  scimForbidden,
  type ScimErrorCode,
  type ScimType,
} from './base/errors.ts'
export { type FilterAst, type PathAst } from './filter/ast.ts'
export { compareSortKeys } from './filter/compare.ts'
export { compileFilter, sortKey } from './filter/compile.ts'
export { type Decision } from './filter/decide.ts'
export { formatFilter } from './filter/format.ts'
export { matchFilter } from './filter/match.ts'
export { parseFilter, type FilterLimits } from './filter/parse.ts'
export { resolveFilter, type ResolveOptions } from './filter/resolve.ts'
export {
  type CompareOperator,
  type FilterLiteral,
  type ResolvedFilter,
  type SortKey,
} from './filter/resolved.ts'
export { recordData, recordDisplay, userDisplay, type ScimDocument } from './base/document.ts'
export { compareCodePoints, fold, groupNameKey, nameKey } from './base/fold.ts'
export { isEmailAddress } from './schema/email-address.ts'
export {
  recordResource,
  referenceNeeds,
  type RecordReferences,
  type ReferenceNeeds,
} from './resource/record-resource.ts'
export {
  type AttributeDescriptor,
  type AttributeInput,
  type AttributeType,
} from './schema/attribute.ts'
export { ENTERPRISE_URN } from './schema/enterprise.ts'
export { type ScimExtension } from './schema/extension.ts'
export { GROUP_URN } from './schema/group.ts'
export {
  createSchemas,
  type ExtensionSchema,
  type ResourceSchema,
  type ResourceTypeName,
  type SchemaOptions,
} from './schema/registry.ts'
export { USER_URN } from './schema/user.ts'
export { parseInstant } from './schema/instant.ts'
export {
  isScimReentry,
  isStoreUnavailable,
  ScimReentryError,
  isUniqueConflict,
  StoreUnavailableError,
  UniqueConflictError,
  type UniqueConstraint,
} from './store/errors.ts'
export { observeGroupWrites, type ObservedStore } from './store/group-writes.ts'
export {
  type GroupBrief,
  type GroupRecord,
  type GroupStore,
  type GroupWrite,
  type OnGroupWrite,
} from './store/groups.ts'
export {
  assertOutsideHook,
  guardedStore,
  guardedOutbox,
  HOOK_OWNER,
  hookOwnerOf,
  runHook,
} from './store/hooks.ts'
export {
  invalidOutboxCursor,
  readDeliveryCursor,
  type ClaimedDelivery,
  type Delivery,
  type DeliveryQuery,
  type DeliveryResult,
  type DeliveryState,
  type DeliveryStore,
  type EndpointKind,
  type EndpointPatch,
  type EndpointRecord,
  type EndpointStore,
  type OutboxEvent,
  type OutboxQuery,
  type OutboxRow,
  type OutboxStore,
  type ReplayQuery,
} from './store/outbox.ts'
export { type KeysetPosition, type ListedRecords, type ListQuery } from './store/list-query.ts'
export { type MemberRow, type MemberStore } from './store/members.ts'
export { type ScimStore, type TransactionOptions } from './store/scim-store.ts'
export { type TokenPatch, type TokenRecord, type TokenStore } from './store/tokens.ts'
export { userHook, type OnSessionsEnd, type SessionsEnd } from './store/sessions-end.ts'
export {
  userWrite,
  type OnUserWrite,
  type UserSummary,
  type UserRecord,
  type UserUpdateOptions,
  type Adoption,
  type AdoptionRefusal,
  type UserStore,
  type UserWrite,
} from './store/users.ts'
export {
  type EventSource,
  type MembersChanged,
  type ScimAuditEntry,
  type ScimEventBase,
  type ScimEvents,
} from './options/events.ts'
export { type ScimObservation } from './options/observation.ts'
export { type IgnoredReason } from './base/notes.ts'
export { type ScimHandler } from './http/handler.ts'
export {
  type GroupResource,
  type ListParameters,
  type ListResponse,
  type ScimResource,
  type ScimResources,
  type UserResource,
} from './service/in-process.ts'
export { defaultLimits, type ScimLimits } from './base/limits.ts'
export {
  type CursorOptions,
  type ScimChange,
  type ScimOptions,
  type ScimTools,
} from './options/options.ts'
export { applyPatch, type PatchOptions, type PatchResult } from './patch/apply.ts'
export { type PatchOperation } from './patch/normalize.ts'
export { parsePath, type PatchPath, type PathLimits } from './patch/parse-path.ts'
export {
  ALL_SCOPES,
  type ScimContext,
  type ScimPrincipal,
  type ScimScope,
} from './base/principal.ts'
export {
  SCIM_PROFILES,
  type InteropOptions,
  type IpsieOptions,
  type RateLimit,
  type ScimProfile,
  type ScimProfileName,
} from './base/profiles.ts'
export { SCIM_QUIRKS, type QuirkSwitches, type ScimQuirk } from './base/quirks.ts'
export {
  createScimTokens,
  type IssuedToken,
  type IssueTokenInput,
  type RotateOptions,
  type ScimTokenService,
  type ScimTokensOptions,
  type TokenInfo,
} from './rules/tokens.ts'
export {
  createScimHandler,
  createScimService,
  type ScimGroups,
  type ScimService,
  type ScimUsers,
} from './service/service.ts'
export {
  type Acquired,
  type ActiveUserWork,
  type NotActive,
  type SignInName,
} from './rules/acquire-active-user.ts'
export { type OwnUserWrite } from './rules/record-user-write.ts'
export { readScimSettings, type ScimJwtSettings, type ScimSettings } from './options/settings.ts'
export { type ScimOAuthSettings } from './options/oauth-settings.ts'
export {
  type ActiveUser,
  type ActivityNote,
  type ActivityStore,
  type RefusedWrite,
  type UserActivity,
} from './store/activity.ts'
export { createSettingsClients, type ScimClientSetting } from './options/client-settings.ts'
export { type ScimTokenSetting } from './options/token-settings.ts'
export {
  type AroundRequest,
  type ObservedRequest,
  type RequestEnd,
  type RequestHooks,
  type Runtime,
} from '@x/wire'
export {
  defineResourceType,
  type ResourceWrite,
  type ResourceOperation,
  type ScimResourceType,
} from './options/resource-type.ts'
export { type AuthenticationScheme } from './options/auth.ts'
export { createCatalogueStore, type CatalogueEntry } from './memory/catalogue.ts'
export { type ResourceRecord, type ResourceStore } from './store/resources.ts'
export { tenantFromHost } from './options/tenant-from-host.ts'
export { matchAccount, type AccountCandidate } from './rules/match-account.ts'
export { createSettingsAuth } from './options/settings-auth.ts'
export { type AttributePath } from './schema/attribute-path.ts'
