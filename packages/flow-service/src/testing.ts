export { defineAuditStoreContract } from './contract/audit-spec.ts'
export { defineFlowStoreContract } from './contract/flow-store-spec.ts'
