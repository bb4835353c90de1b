export { createMemoryPortalStore } from './memory/store.ts'
