export { type ConnectionSettings } from './base/connection-settings.ts'
export {
  createScimConnections,
  type ScimConnections,
  type ScimConnectionsOptions,
} from './connections/connections.ts'
export {
  createConnectionsHandler,
  type ConnectionsHandlerOptions,
} from './connections/connections-handler.ts'
export type { ConnectionProvider } from './base/connection-settings.ts'
export {
  type ClientRecord,
  type Connection,
  type ConnectionError,
  type ConnectionPatch,
  type ConnectionStore,
} from './store/connections.ts'
