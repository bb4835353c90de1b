import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { Mode } from '../diagnostics/report.ts'

/** Options for checking one message. */
export interface ValidateMessageOptions {
  /** Default: strict. */
  readonly mode?: Mode
  /** Checks components and styles too. */
  readonly catalog?: Catalog
  /** Catalogs of which one must accept the components (0.9.1). */
  readonly catalogs?: readonly Catalog[]
  /** Further ids for the catalogs (0.9.1). */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Default: 0.8. */
  readonly version?: Version
  readonly limits?: Partial<SurfaceLimits>
}
