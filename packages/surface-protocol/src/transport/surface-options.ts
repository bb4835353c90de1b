import type { OptionNames } from '../catalog/check-options.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { UiNode } from '../build/nodes.ts'
import type { Ui, uiV09 } from '../build/ui.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { channelOptionNames, type SurfaceChannelOptions } from './channel-options.ts'
import type { SurfaceHandlerOptions } from './handler.ts'

/** A path into data of a known form: its first segment is one of their keys. */
export type PathInto<Data> = string extends keyof Data
  ? string
  : `/${keyof Data & string}` | `/${keyof Data & string}/${string}`

/** The factories of a catalog, by default those of the basic catalog of 0.9.1. */
export type UiFor<C> = C extends Catalog ? Ui<C> : typeof uiV09

/** Describes what a surface shows. */
export type SurfaceDrawing<C> = (ui: UiFor<C>) => UiNode

/** What changes a surface. */
export interface SurfaceChanges<Data, C> {
  /** Sets the value at a path. @throws SurfaceError, in version 0.8 also for a value that is no object */
  readonly set: (path: PathInto<Data>, value: JsonValue) => Promise<void>
  /** Removes what is at a path. @throws SurfaceError `unsupported_version` in version 0.8 */
  readonly remove: (path: PathInto<Data>) => Promise<void>
  /** Shows another view, or the present one again. Data stay. @throws SurfaceError for an invalid view */
  render(view?: SurfaceDrawing<C>): Promise<void>
}

/** What an action was sent with. */
export interface SurfaceActionCall<Data, C, User> extends SurfaceChanges<Data, C> {
  /** The values of the action's context. Their types are those of the data of the same name, but they come from the user. */
  readonly context: Readonly<Partial<Data> & Record<string, JsonValue | undefined>>
  /** A copy of the data, with the user's values where the context reads them. */
  readonly data: Data
  readonly request: Request
  /** What `authorize` returned; undefined for `'anyone'`. */
  readonly user: User
}

/** Options of a surface. */
export interface SurfaceOptions<
  Data extends JsonObject,
  C extends Catalog | undefined,
  User,
> extends Omit<SurfaceChannelOptions, 'store' | 'mirror'> {
  /** Returns the user who may see the surface and send its actions, null (401) or a response; `'anyone'` asks nobody. */
  readonly authorize:
    | ((request: Request) => User | null | Response | Promise<User | null | Response>)
    | 'anyone'
  readonly view: SurfaceDrawing<C>
  /** The first data. Default: none. */
  readonly data?: Data
  /** By the name of the event. One runs at a time; at most 1,000 wait. Default: none. */
  readonly actions?: Readonly<
    Record<string, (call: SurfaceActionCall<Data, C, User>) => void | Promise<void>>
  >
  /** Default: the basic catalog of the version. */
  readonly catalog?: C
  /** The id under which the surface names its catalog. Default: the catalog's. */
  readonly catalogId?: string
  /** Theme parameters. Default: none. */
  readonly theme?: JsonObject
  /** The client sends its data with every message. Default: false. */
  readonly sendDataModel?: boolean
  /** Limits that override the defaults. */
  readonly limits?: Partial<SurfaceLimits>
  /** Called with errors that result in a 500 response. Default: `console.error`. */
  readonly onError?: SurfaceHandlerOptions['onError']
}

/** The names of a surface's options. */
export const surfaceOptionNames: OptionNames<SurfaceOptions<JsonObject, undefined, unknown>> = {
  ...channelOptionNames,
  authorize: true,
  view: true,
  data: true,
  actions: true,
  catalog: true,
  catalogId: true,
  theme: true,
  sendDataModel: true,
  limits: true,
  onError: true,
}
