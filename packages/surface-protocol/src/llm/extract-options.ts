import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { UrlOptions } from '../message/unsafe-urls.ts'
import type { AnySurfaceStore } from '../store/store.ts'

/** Options for finding messages in a text. */
export interface ExtractMessagesOptions extends UrlOptions {
  /** Name of the tag around messages. Default: `a2ui-json`. */
  readonly tag?: string
  /** `lineBytes` limits a message and a fence. */
  readonly limits?: Partial<SurfaceLimits>
  /** Version of the messages. Default: 0.8. */
  readonly version?: Version
  /** Messages are validated against these; without them they are not validated. */
  readonly catalogs?: readonly Catalog[]
  /** Alternative ids of the catalogs. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /**
   * Handling of a truncated message: it is closed and marked `truncated`, or reported as an error. Default:
   * heal. Version 0.8 repairs it like any other.
   */
  readonly truncation?: 'heal' | 'refuse'
  /** Also reads messages that stand at the start of a line without tag or fence. Default: true; 0.8: false. */
  readonly bare?: boolean
  /** Takes what a model thinks, between `<think>` tags, as text. Default: true; 0.8: false. */
  readonly thinking?: boolean
  /** Judges the whole answer at its end: every surface needs its root and children. Default: false. */
  readonly complete?: boolean
  /**
   * Hands out each component of an `updateComponents` message as soon as it has closed, in a message of its own
   * that is marked `partial`. Default: false.
   */
  readonly progressive?: boolean
  /** Surfaces that exist already; used with `complete`. */
  readonly surfaces?: Iterable<string> | AnySurfaceStore
}
