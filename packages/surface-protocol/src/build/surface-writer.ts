import type { OptionNames } from '../catalog/check-options.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonValue } from '../json.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import type { SurfaceStore } from '../store/store.ts'
import type { SurfaceDescription } from './builder.ts'

/** Options of a writer. */
export interface SurfaceWriterOptions {
  /** Version of the messages. Default: 0.8. */
  readonly version?: Version
  send(this: void, message: AnyServerMessage): void | Promise<void>
  /** Sends the self-contained form. Default: false. */
  readonly selfContained?: boolean
  /** Catalogs that surfaces may use. Default: the standard catalog. */
  readonly catalogs?: readonly Catalog[]
  /** Alternative catalog ids, mapped to known ones. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** The id under which new surfaces name their catalog: its own, or an alias. Default: its own. */
  readonly catalogId?: string
  /** Limits that override the defaults; `waitingCalls` bounds the calls queued here. */
  readonly limits?: Partial<SurfaceLimits>
}

/** The names of a writer's options. */
export const writerOptionNames: OptionNames<SurfaceWriterOptions> = {
  version: true,
  send: true,
  selfContained: true,
  catalogs: true,
  catalogAliases: true,
  catalogId: true,
  limits: true,
}

/** Sends changes of its surfaces, one call at a time. */
export interface SurfaceWriter {
  /** The receiver's state. */
  readonly store: SurfaceStore
  /**
   * Makes a surface match a description; only the difference is sent.
   * @throws SurfaceError for an invalid description; nothing is sent then
   * @throws TypeError for a `catalogId` that does not stand for the catalog
   */
  render(surfaceId: string, view: SurfaceDescription): Promise<void>
  /**
   * Sets keys of an object at a data path; in version 0.9.1 any value.
   * @throws SurfaceError, also `limit_exceeded` (`waitingCalls`)
   */
  update(surfaceId: string, path: string, contents: JsonValue): Promise<void>
  /**
   * Removes a data location; the items behind an item of an array move up.
   * @throws SurfaceError `unsupported_version` in version 0.8
   */
  remove(surfaceId: string, path: string): Promise<void>
  delete(surfaceId: string): Promise<void>
}
