export { createSqlConnections, type SqlConnectionsOptions } from './connections/sql-connections.ts'
