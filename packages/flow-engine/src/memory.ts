export { createMemoryBlobStore } from './memory/blob-store.ts'
export { createMemoryFlowStore, type MemoryFlowStoreOptions } from './memory/flow-store.ts'
export { createMemoryJobStore } from './memory/job-store.ts'
export { createMemoryServices, type MemoryServicesInit } from './memory/services.ts'
