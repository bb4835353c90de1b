import type { CatalogCore } from '../catalog/catalog.ts'
import {
  diagnosticOf,
  limitError,
  type SurfaceDiagnostic,
  type SurfaceError,
} from '../diagnostics/errors.ts'
import { cloneJson, type JsonObject } from '../json.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { ComponentInstance } from '../message/v08/messages.ts'
import type { Evaluator } from '../functions/evaluate.ts'
import { DataModel } from '../data/data-model.ts'
import { mapToJson } from '../data/data-value.ts'
import { toInstance } from '../message/v08/to-instance.ts'
import { Graph } from '../graph/graph.ts'
import { Tree } from '../tree/tree.ts'
import { TreeOverflow } from '../tree/tree-growth.ts'
import type { PathMode } from '../tree/scope.ts'

/** The state of a surface. */
export type SurfaceStatus = 'created' | 'pending' | 'rendered'

/** A surface as plain JSON. */
export type SurfaceState = {
  surfaceId: string
  status: SurfaceStatus
  root: string | null
  catalogId: string | null
  styles: JsonObject
  /** In order of first arrival. */
  components: ComponentInstance[]
  data: JsonObject
}

/** A surface of a store, as plain JSON. */
export type SurfaceView = SurfaceState & {
  /** Number of messages applied. */
  revision: number
  /** Ids reachable from the root but not defined. */
  missing: string[]
  /** The diagnostics of resolving the tree, and the limit it exceeds. */
  diagnostics: SurfaceDiagnostic[]
}

/** A surface as stored. */
export interface Surface {
  readonly id: string
  status: SurfaceStatus
  root: string | null
  catalogId: string | null
  core: CatalogCore | null
  styles: JsonObject
  /** Size of the styles. */
  styleSize: number
  /** True if styles were given as a theme (0.9.1). */
  hasTheme: boolean
  /** True if the client sends its data model (0.9.1). */
  sendDataModel: boolean
  /** Extensions of the surface (1.0). */
  metadata: JsonObject | null
  readonly graph: Graph
  readonly data: DataModel
  revision: number
  /** True once `surface.rendered` was emitted. */
  announced: boolean
  tree: Tree | null
  overflow: 'treeNodes' | 'treeDepth' | null
  /** Receives the ids of the first tree, which is built on first use or before it changes. */
  firstIds: { ids: readonly string[] | null } | null
}

/** Creates an empty surface. */
export function createSurface(id: string): Surface {
  return {
    id,
    status: 'created',
    root: null,
    catalogId: null,
    core: null,
    styles: {},
    styleSize: 0,
    hasTheme: false,
    sendDataModel: false,
    metadata: null,
    graph: new Graph(),
    data: new DataModel(),
    revision: 0,
    announced: false,
    tree: null,
    overflow: null,
    firstIds: null,
  }
}

/** Options for resolving trees. */
export interface TreeOptions {
  readonly pathMode: PathMode
  readonly limits: Readonly<SurfaceLimits>
  readonly evaluator: Evaluator | null
}

/** Builds the tree of a rendered surface if needed; null if it would exceed a limit. */
export function ensureTree(
  surface: Surface,
  { pathMode, limits, evaluator }: TreeOptions,
): Tree | null {
  const { id: surfaceId, catalogId, root, graph, data } = surface
  if (surface.status !== 'rendered' || root === null) return null
  if (surface.tree !== null) return surface.tree
  const owner = { surfaceId, catalogId }
  try {
    surface.tree = new Tree({ graph, data, root, mode: pathMode, limits, evaluator, owner })
    surface.overflow = null
  } catch (error) {
    reportLimit(surface, error)
  }
  if (surface.firstIds !== null) {
    surface.firstIds.ids = surface.tree?.instances().map(({ id }) => id) ?? []
    surface.firstIds = null
  }
  return surface.tree
}

/** Drops a tree that exceeded a limit; rethrows other errors. */
export function reportLimit(surface: Surface, error: unknown): void {
  if (!(error instanceof TreeOverflow)) throw error
  surface.tree = null
  surface.overflow = error.limit
}

/** The error of a tree that exceeds a limit. */
export function overflowError(
  surface: Surface,
  limits: Readonly<SurfaceLimits>,
): SurfaceError | null {
  const { id: surfaceId, overflow } = surface
  if (overflow === null) return null
  const detail = `The tree exceeds the limit ${overflow} of ${limits[overflow]}.`
  return limitError(overflow, detail, { surfaceId })
}

/** Unresolved references in the order found from the root, starting with the root itself. */
export function missingChildren({ root, graph }: Surface): { parent: string | null; id: string }[] {
  if (root === null) return []
  const missing: { parent: string | null; id: string }[] = []
  const seen = new Set([root])
  const stack: { parent: string | null; id: string }[] = [{ parent: null, id: root }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const definition = graph.definitions.get(next.id)
    if (definition === undefined) {
      missing.push(next)
      continue
    }
    for (let i = definition.edges.length - 1; i >= 0; i -= 1) {
      const id = definition.edges[i]
      if (id === undefined || seen.has(id)) continue
      seen.add(id)
      stack.push({ parent: definition.id, id })
    }
  }
  return missing
}

/** A copy of the surface as plain JSON. */
export function viewOf(surface: Surface, options: TreeOptions): SurfaceView {
  return {
    ...stateOf(surface),
    revision: surface.revision,
    missing: missingChildren(surface).map(({ id }) => id),
    diagnostics: treeDiagnostics(surface, options),
  }
}

/** The part of a surface that messages can recreate; a copy, unless components are to be read only. */
export function stateOf(surface: Surface, toComponent = toInstance): SurfaceState {
  return {
    surfaceId: surface.id,
    status: surface.status,
    root: surface.root,
    catalogId: surface.catalogId,
    styles: cloneJson(surface.styles),
    components: Array.from(surface.graph.definitions.values(), (one) => toComponent(one)),
    data: mapToJson(surface.data.root),
  }
}

const MAX_LISTED = 100

const sentences: Readonly<Record<string, string>> = {
  binding_type: 'The value in the data has no form that this property takes.',
  not_iterable: 'A template needs a map or an array in the data.',
  function_failed: 'A function has no value for its arguments.',
  index_outside_template: 'A position is asked for outside of a template.',
  compatible_path: 'An absolute path inside a template was read relative to the entry.',
}

/** Diagnostics of resolving the tree; at most 100. */
export function treeDiagnostics(surface: Surface, options: TreeOptions): SurfaceDiagnostic[] {
  const tree = ensureTree(surface, options)
  const overflow = overflowError(surface, options.limits)
  if (overflow !== null) return [diagnosticOf(overflow)]
  const { id: surfaceId } = surface
  const found: SurfaceDiagnostic[] = []
  for (const { componentId, id, warnings } of tree?.warned() ?? []) {
    for (const { code, pathText, isObject } of warnings) {
      if (found.length >= MAX_LISTED) return found
      const sentence =
        isObject === true
          ? `A template iterates an array; ${pathText} is an object.`
          : (sentences[code] ?? code)
      found.push({
        code,
        severity: 'warning',
        message: sentence,
        path: '',
        surfaceId,
        componentId,
        related: [id],
      })
    }
  }
  return found
}
