import type { Catalog } from '../catalog/catalog.ts'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import { cloneJson, isPlainObject, ownValue, setOwn, type JsonObject } from '../json.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import { formatEntries, parseEntries } from '../message/v08/entries.ts'
import type { SurfaceState } from '../store/surface.ts'
import { formV08 } from './build-components.ts'
import { diffSurface } from './diff.ts'
import { dataAfterInitialising } from './initial-data.ts'
import type { UiNode } from './nodes.ts'
import { placeNodes } from './place-nodes.ts'

/** The content of a surface. */
export interface SurfaceDescription {
  readonly root: UiNode
  readonly data?: JsonObject
  readonly styles?: JsonObject
  /** Theme parameters, in version 0.9.1. */
  readonly theme?: JsonObject
  /** Extensions of the surface, in version 1.0: `{ extensions: {...} }`. */
  readonly metadata?: JsonObject
  /** The client sends its data model with every message (0.9.1). Default: false. */
  readonly sendDataModel?: boolean
  /** Default: the catalog of the root node. */
  readonly catalog?: Catalog | string
  /** The id under which the surface names it: its own, or an alias. Default: that of the writer. */
  readonly catalogId?: string
}

/**
 * The state a description stands for. Initial values fill gaps in the data.
 * @param options.isChecked also looks for loops, which whoever applies the state would find. Default: true
 * @throws SurfaceError for invalid properties, duplicate ids or a loop
 */
export function describeSurface(
  surfaceId: string,
  view: SurfaceDescription,
  { isChecked = true }: { readonly isChecked?: boolean } = {},
): SurfaceState {
  const { root, components, catalogs, initialises } = placeNodes(view.root, formV08)
  const data = parseEntries(formatEntries(view.data ?? {}))
  const initial =
    isChecked || initialises ? dataAfterInitialising({ components: [], data: {} }, components) : {}
  const [first] = catalogs
  const { catalog = first } = view
  const catalogId = typeof catalog === 'string' ? catalog : catalog?.catalogId
  return {
    surfaceId,
    status: 'rendered',
    root,
    catalogId: catalogId ?? STANDARD_CATALOG_ID,
    styles: cloneJson(view.styles ?? {}),
    components,
    data: withDefaults(data, initial),
  }
}

/** Describes a surface step by step. */
export interface SurfaceBuilder {
  catalog(catalog: Catalog | string): SurfaceBuilder
  styles(styles: JsonObject): SurfaceBuilder
  data(data: JsonObject): SurfaceBuilder
  root(node: UiNode): SurfaceBuilder
  /**
   * Components, data if there is any, then beginRendering.
   * @throws SurfaceError for invalid properties, or without a root
   */
  toMessages(options?: { selfContained?: boolean }): ServerMessage[]
  toState(): SurfaceState
}

/** A builder for one surface. Each method call replaces earlier ones. */
export function createSurfaceBuilder(surfaceId: string): SurfaceBuilder {
  let view: Partial<SurfaceDescription> = {}
  const toState = (): SurfaceState => {
    const { root } = view
    if (root === undefined) {
      throw new SurfaceError({
        code: 'missing_root',
        detail: 'A surface needs a root.',
        surfaceId,
      })
    }
    return describeSurface(surfaceId, { ...view, root })
  }
  const say = (part: Partial<SurfaceDescription>): SurfaceBuilder => {
    view = { ...view, ...part }
    return builder
  }
  const builder: SurfaceBuilder = {
    catalog: (catalog) => say({ catalog }),
    styles: (styles) => say({ styles }),
    data: (data) => say({ data }),
    root: (root) => say({ root }),
    toMessages: (options = {}) => diffSurface(null, toState(), options),
    toState,
  }
  return builder
}

/** Fills gaps in `data` from `defaults`. */
function withDefaults(data: JsonObject, defaults: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(defaults)) {
    const own = ownValue(data, key)
    if (own === undefined) setOwn(data, key, value)
    else if (isPlainObject(own) && isPlainObject(value)) {
      withDefaults(own as JsonObject, value)
    }
  }
  return data
}
