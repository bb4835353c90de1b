import type { CatalogCore } from '../../catalog/catalog.ts'
import type { Report } from '../../diagnostics/report.ts'

/**
 * Validates a component at the current position of the report and returns its catalog; null if there is
 * none.
 */
export type ComponentCheck = (
  surfaceId: string,
  type: string,
  component: { readonly properties: Record<string, unknown>; readonly report: Report },
) => CatalogCore | null
