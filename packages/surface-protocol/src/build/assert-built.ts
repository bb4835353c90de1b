import { append } from '@x/wire'
import { catalogCore, type Catalog } from '../catalog/catalog.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { Report } from '../diagnostics/report.ts'
import type { JsonObject } from '../json.ts'

/** A component as it will be sent. */
interface BuiltComponent {
  readonly id: string
  readonly type: string
  readonly properties: JsonObject
  /** Where the properties are in its message. Default: at the top. */
  readonly path?: readonly string[]
}

/** Checks a component against its catalog. @throws SurfaceError with all diagnostics */
export function assertBuilt(
  catalog: Catalog,
  { id, type, properties, path = [] }: BuiltComponent,
): void {
  const report = new Report()
  report.componentId = id
  append(report.path, path)
  catalogCore(catalog).checkComponent(type, properties, report)
  if (report.errors > 0) throw errorFrom(report.finish())
}
