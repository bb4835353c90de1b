import type { CatalogCore } from '../../catalog/catalog.ts'
import type { Report } from '../../diagnostics/report.ts'

/**
 * Checks one component at the current place of the report and names the catalog that is in force
 * for it; null when there is none.
 */
export type ComponentCheck = (
  surfaceId: string,
  type: string,
  component: { readonly properties: Record<string, unknown>; readonly report: Report },
) => CatalogCore | null
