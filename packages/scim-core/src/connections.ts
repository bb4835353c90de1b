export { type ConnectionSettings } from './base/connection-settings.ts'
export { createScimConnections } from './connections/connections.ts'
export {
  type ScimConnections,
  type ScimConnectionsOptions,
} from './connections/scim-connections.ts'
export {
  createConnectionsHandler,
  type ConnectionsHandlerOptions,
} from './connections/connections-handler.ts'
export type { ConnectionProvider } from './base/connection-settings.ts'
export { type AlarmMemory } from './connections/alarm-memory.ts'
export { type WatchedCredential, type WatchedSource } from './connections/alarms.ts'
export { type ConnectionEvents } from './connections/connection-events.ts'
export {
  type ClientInfo,
  type ClientSecretInfo,
  type IssueClientOptions,
  type IssuedClientSecret,
  type RotateSecretOptions,
} from './connections/clients.ts'
export {
  type ClientPatch,
  type ClientRecord,
  type ClientSecretPatch,
  type ClientSecretRecord,
  type Connection,
  type ConnectionError,
  type ConnectionPatch,
  type ConnectionStore,
} from './store/connections.ts'
