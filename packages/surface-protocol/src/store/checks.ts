import type { DataMap } from '../data/data-value.ts'
import { mapFromJson } from '../data/data-value.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import { EvaluationError } from '../functions/evaluation-error.ts'
import { isTrue } from '../functions/truth.ts'
import { isPlainObject, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import { Tree } from '../tree/tree.ts'
import type { Instance } from '../tree/instance.ts'
import type { StoreSettings } from './store-options.ts'
import { stateOfStore, type SurfaceStore, type SurfaceStoreV09 } from './store.ts'
import { ensureTree, type Surface } from './surface.ts'

/** A check that does not hold. */
export type CheckFailure = {
  nodeId: string
  componentId: string
  /** Position among the checks of the component. */
  index: number
  code?: string
  message: string
  severity: string
}

/** What the checks of one node say. */
export type CheckResult = {
  valid: boolean
  code?: string
  message?: string
  severity?: 'error' | 'warning' | 'info'
  failures: CheckFailure[]
}

/**
 * Runs the checks of a node on the data of its surface (SN-41).
 * @throws SurfaceError `surface_not_found`, `component_not_found`
 */
export function checkComponent(
  store: SurfaceStore | SurfaceStoreV09,
  surfaceId: string,
  nodeId: string,
): CheckResult {
  const { surface, settings } = find(store, surfaceId)
  const node = ensureTree(surface, settings)?.find(nodeId)
  if (node === undefined) {
    const detail = 'The tree has no such node.'
    throw new SurfaceError({ code: 'component_not_found', detail, surfaceId })
  }
  const failures = failuresOf(node, { settings, root: surface.data.root, surfaceId })
  const [first] = failures
  if (first === undefined) return { valid: true, failures }
  return { valid: false, message: first.message, severity: 'error', failures }
}

/**
 * Runs the checks of every node of a surface, in tree order.
 * @param options.dataModel takes the place of the data of the surface
 * @throws SurfaceError `surface_not_found`
 */
export function checkSurface(
  store: SurfaceStore | SurfaceStoreV09,
  surfaceId: string,
  options: { readonly dataModel?: JsonObject } = {},
): CheckFailure[] {
  const { surface, settings } = find(store, surfaceId)
  const { dataModel } = options
  const root = dataModel === undefined ? surface.data.root : mapFromJson(dataModel)
  return instancesOver(surface, root, settings).flatMap((node) =>
    failuresOf(node, { settings, root, surfaceId }),
  )
}

function find(
  store: SurfaceStore | SurfaceStoreV09,
  surfaceId: string,
): { surface: Surface; settings: StoreSettings } {
  const { surfaces, settings } = stateOfStore(store)
  const surface = surfaces.get(surfaceId)
  if (surface !== undefined) return { surface, settings }
  const detail = 'There is no such surface.'
  throw new SurfaceError({ code: 'surface_not_found', detail, surfaceId })
}

/** The nodes that a surface shows over some data, in tree order. */
export function instancesOver(
  surface: Surface,
  root: DataMap,
  settings: StoreSettings,
): readonly Instance[] {
  if (root === surface.data.root) return ensureTree(surface, settings)?.instances() ?? []
  if (surface.status !== 'rendered') return []
  const { graph } = surface
  const { limits, evaluator } = settings
  const source = {
    graph,
    data: { root },
    root: 'root',
    mode: 'pointer' as const,
    limits,
    evaluator,
  }
  return new Tree(source).instances()
}

interface CheckPlace {
  readonly settings: StoreSettings
  readonly root: DataMap
  readonly surfaceId: string
}

/** The checks of a node that do not hold; one that cannot be evaluated does not (SN-41). */
export function failuresOf(
  node: Instance,
  { settings, root, surfaceId }: CheckPlace,
): CheckFailure[] {
  const checks =
    node.definition === null ? undefined : ownValue(node.definition.properties, 'checks')
  if (!Array.isArray(checks)) return []
  const failures: CheckFailure[] = []
  checks.forEach((check: unknown, index) => {
    if (!isPlainObject(check)) return
    const place = { root, scope: node.scope.segments, surfaceId }
    if (holds((check.condition ?? null) as JsonValue, place, settings)) return
    const message = typeof check.message === 'string' ? check.message : 'Invalid value.'
    const { id: nodeId, componentId } = node
    failures.push({ nodeId, componentId, index, message, severity: 'error' })
  })
  return failures
}

function holds(
  condition: JsonValue,
  place: { root: DataMap; scope: readonly string[]; surfaceId: string },
  { evaluator }: StoreSettings,
): boolean {
  try {
    return isTrue(evaluator?.evaluate(condition, place))
  } catch (error) {
    if (error instanceof EvaluationError) return false
    throw error
  }
}
