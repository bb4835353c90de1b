import type { CatalogCore } from '../../catalog/catalog.ts'
import type { Report } from '../../diagnostics/report.ts'
import type { Definition } from '../../graph/definition.ts'

/** Validates components against a catalog; the report's path starts at the message. */
export function checkComponents(
  components: readonly Definition[],
  core: CatalogCore | null,
  report: Report,
): void {
  const { path } = report
  path.push('updateComponents', 'components')
  for (const { id, type, properties, position } of components) {
    path.push(position)
    report.componentId = id
    core?.checkComponent(type, properties, report)
    path.pop()
  }
  path.length = 0
  report.componentId = undefined
}
