export { createMemoryAuditStore } from './memory/audit.ts'
export { createMemoryBlobStore } from './memory/blob-store.ts'
export { createMemoryFlowStore, type MemoryFlowStoreOptions } from './memory/flow-store.ts'
export { memoryStorage, type MemoryStorage } from './memory/storage.ts'
