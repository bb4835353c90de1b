export { createFlowStore, type FlowStoreOptions, type FlowTransaction } from './flow/store.ts'
export { flowMigrationPlan, flowMigrationStatus, migrateFlow } from './flow/schema.ts'
export type { FlowTables } from './schema/tables/flow.ts'
export { createJobStore, type JobStoreOptions } from './jobs/store.ts'
