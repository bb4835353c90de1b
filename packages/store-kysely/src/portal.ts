export { createPortalStore } from './portal/store.ts'
export { migratePortal } from './portal/schema.ts'
export type { PortalTables } from './schema/tables/portal.ts'
