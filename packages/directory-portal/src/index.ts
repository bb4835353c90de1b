export { createDirectoryPortal, type DirectoryPortal } from './portal/create-portal.ts'
export { type DirectoryPortalOptions } from './portal/options.ts'
export { createSyncLog, type SyncLog, type SyncLogOptions } from './log/sync-log.ts'
export {
  createDomains,
  type DomainInfo,
  type Domains,
  type DomainsOptions,
} from './domains/domains.ts'
export {
  createRoleMapping,
  type PortalRole,
  type RoleChanges,
  type RoleMapping,
  type RoleMappingOptions,
  type RolesChange,
  type RoleState,
} from './roles/role-mapping.ts'
export {
  type RoleRule,
  type RoleSettings,
  type RoleStore,
  type RoleTransaction,
} from './store/role-store.ts'
export { type ResolveTxt } from './domains/resolve-txt.ts'
export { PORTAL_PROVIDERS, type PortalProvider } from './providers/providers.ts'
export { type PortalSession } from './access/sessions.ts'
export { type LinkInfo, type LinkInput, type PortalLinks } from './access/links.ts'
export { type PresentedValue } from './api/call.ts'
export { type LogEntry, type LogOutcome } from './log/log-entry.ts'
export {
  type ActivityRecord,
  type ConnectionMetadata,
  type DomainRecord,
  type FactsChange,
  type LinkRecord,
  type LogBatch,
  type LogQuery,
  type LogRecord,
  type Numbered,
  type PortalPermission,
  type PortalStore,
  type ReceivedRecord,
  type SessionRecord,
  type WriterRecord,
} from './store/portal-store.ts'
