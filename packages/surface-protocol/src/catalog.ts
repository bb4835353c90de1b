export type { Catalog } from './catalog/catalog.ts'
export { parseCatalog, type ParseCatalogOptions } from './catalog/parse-catalog.ts'
export { pruneCatalog } from './catalog/v09/prune-catalog.ts'
export { negotiateCatalogs, negotiateVersion } from './catalog/negotiate-versions.ts'
export { formatCatalog } from './catalog/format-catalog.ts'
export {
  defineCatalog,
  extendCatalog,
  type CatalogDefinition,
  type ComponentProps,
  type FunctionArgs,
  type FunctionDefinition,
  type TypesOfDefinition,
} from './catalog/define-catalog.ts'
export {
  actionSchema,
  boundBoolean,
  boundNumber,
  boundString,
  boundStringArray,
  boundValue,
  checksSchema,
  childrenRef,
  componentRef,
} from './catalog/schemas.ts'
export { clientMessageSchema, serverMessageSchema } from './message/v08/message-schemas.ts'
export {
  formatA2aExtension,
  negotiateA2aExtension,
  negotiateCatalog,
  parseClientCapabilities,
  type ClientCapabilities,
  type NegotiateCatalogOptions,
} from './catalog/negotiate-catalog.ts'
