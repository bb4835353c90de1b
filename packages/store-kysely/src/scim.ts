export {
  createScimStore,
  type ScimStoreOptions,
  type ScimTransaction,
  type SqlScimStore,
} from './scim/store.ts'
export { migrateScim, scimMigrationPlan, scimMigrationStatus } from './scim/schema.ts'
export { type AdoptUser } from './scim/users.ts'
export type { ScimTables } from './schema/tables/scim.ts'
export { type KeptValues } from './scim/kept-values.ts'
