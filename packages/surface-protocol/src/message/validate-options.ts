import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { Mode } from '../diagnostics/report.ts'
import type { UrlOptions } from './unsafe-urls.ts'

/** Options for validating a message. */
export interface ValidateMessageOptions extends UrlOptions {
  /** Default: strict. */
  readonly mode?: Mode
  /** Also validates components and styles. */
  readonly catalog?: Catalog
  /** Catalogs, one of which must accept the components (0.9.1). */
  readonly catalogs?: readonly Catalog[]
  /** Alternative ids of the catalogs (0.9.1). */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Default: 0.8. */
  readonly version?: Version
  readonly limits?: Partial<SurfaceLimits>
}
