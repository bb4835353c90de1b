// For the packages of this workspace, of the same version only: no promise of compatibility.
export { bodyLimitOf } from './http/route/body-limit.ts'
export type { Auth, Route } from './http/route/route.ts'
export { routes } from './http/routes/index.ts'
export { searchCollection } from './services/collections/search-collection.ts'
