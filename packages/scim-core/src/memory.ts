export { createMemoryScimStore, type MemoryScimStoreOptions } from './memory/store.ts'
export { createMemoryTokenStore } from './memory/tokens.ts'
export { createMemoryConnectionStore } from './memory/connections.ts'
export { createMemoryResourceStore } from './memory/resources.ts'
