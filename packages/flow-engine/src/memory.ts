export { createMemoryJobStore } from './memory/job-store.ts'
export { createMemoryBases, type MemoryBaseOptions } from './memory/memory-bases.ts'
export { createMemoryVectorStore } from './memory/vector-store.ts'
export { createMemoryServices, type MemoryServicesInit } from './memory/services.ts'
