import type { Catalog } from '../catalog.ts'
import { basicTable } from './basic-table.ts'
import { minimalTable } from './minimal-table.ts'
import { createBuiltInCatalog } from './table-catalog.ts'

/** Component properties as accepted by the builder. */
type Properties = Readonly<Record<string, unknown>>

/** The basic catalog of version 0.9.1: 18 types, 14 functions. */
export const basicCatalogV09: Catalog<Record<keyof typeof basicTable.components, Properties>> =
  createBuiltInCatalog(basicTable)

/** The minimal catalog of version 0.9.1. */
export const minimalCatalogV09: Catalog<Record<keyof typeof minimalTable.components, Properties>> =
  createBuiltInCatalog(minimalTable)
