import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonValue } from '../json.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import { stateOfStore, type AnySurfaceStore } from '../store/store.ts'
import type { SurfaceDescription } from './builder.ts'

/** What a writer sends in its version. Nothing here changes the store, which has the receiver's state. */
export interface WireForm {
  /** The fewest messages that turn the receiver's surface into the description. @throws SurfaceError */
  render(surfaceId: string, view: SurfaceDescription): readonly AnyServerMessage[]
  /** @throws SurfaceError for contents that the version cannot express */
  update(surfaceId: string, path: string, contents: JsonValue): readonly AnyServerMessage[]
  /** @throws SurfaceError `unsupported_version` */
  removal(surfaceId: string, path: string): readonly AnyServerMessage[]
  deletion(surfaceId: string): AnyServerMessage
}

/** Settings of a writer. */
export interface WireSettings {
  readonly version: Version
  readonly limits: Readonly<SurfaceLimits>
  readonly selfContained: boolean
  /** The id under which surfaces name their catalog. */
  readonly catalogId: string | undefined
}

/**
 * The id under which a surface names its catalog.
 * @throws TypeError for an id that does not stand for the catalog
 */
export function namedCatalog(
  store: AnySurfaceStore,
  catalog: Catalog | string,
  asked: string | undefined,
): string {
  const own = typeof catalog === 'string' ? catalog : catalog.catalogId
  const { canonicalId } = stateOfStore(store).settings
  if (asked === undefined || canonicalId(asked) === canonicalId(own)) return asked ?? own
  throw new TypeError(
    `render: option "catalogId" must be the id of the catalog or one of its aliases, got '${asked.slice(0, 60)}'`,
  )
}
