import type { Catalog } from '../catalog.ts'
import { basicTableV1 } from './basic-table-v1.ts'
import { createCatalogV1 } from './catalog-v1.ts'

/** Component properties as accepted by the builder. */
type Properties = Readonly<Record<string, unknown>>

/** The basic catalog of version 1.0: 18 types, 14 functions. */
export const basicCatalogV1: Catalog<Record<keyof typeof basicTableV1.components, Properties>> =
  createCatalogV1(basicTableV1)

/** Alternative ids of the basic catalog. */
export const aliasesV1: Readonly<Record<string, string>> = {
  'https://a2ui.org/catalogs/basic/v1/catalog.json': basicTableV1.catalogId,
}
