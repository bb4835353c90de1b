import type { Catalog } from '../../catalog/catalog.ts'
import type { Version } from '../../data/version.ts'

/** Options of compiling a program. */
export interface ProgramOptions {
  readonly version: Version
  readonly catalogs: readonly Catalog[]
  /** Id of a surface that the program does not name. */
  readonly surfaceId: string
  /** Messages come as soon as their statement is read, not at the end of their surface. */
  readonly isStreaming: boolean
  /** As the Python SDK reads it. */
  readonly isSdk: boolean
  /** Maximum number of values. */
  readonly maxValues: number
}
