import type { DataMap } from '../data/data-value.ts'
import { mapFromJson } from '../data/data-value.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import type { EvaluationPlace } from '../functions/evaluate.ts'
import { EvaluationError } from '../functions/evaluation-error.ts'
import { isPlainObject, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import { Tree } from '../tree/tree.ts'
import type { Instance } from '../tree/instance.ts'
import { stateOfStore, type AnySurfaceStore } from './store.ts'
import { ensureTree, type Surface } from './surface.ts'
import type { StoreSettings } from './state.ts'

/** A failed check. */
export type CheckFailure = {
  nodeId: string
  componentId: string
  /** Index among the component's checks. */
  index: number
  code?: string
  message: string
  severity: Severity
}

/** Severity of a failure; warnings and infos do not block. */
type Severity = 'error' | 'warning' | 'info'

/** The result of a node's checks. */
export type CheckResult = {
  valid: boolean
  code?: string
  message?: string
  severity?: Severity
  failures: CheckFailure[]
}

/**
 * Runs the checks of a node against the data of its surface.
 * @throws SurfaceError `surface_not_found`, `component_not_found`
 */
export function checkComponent(
  store: AnySurfaceStore,
  surfaceId: string,
  nodeId: string,
): CheckResult {
  const { surface, settings } = find(store, surfaceId)
  const node = ensureTree(surface, settings)?.find(nodeId)
  if (node === undefined) {
    const detail = 'The tree has no such node.'
    throw new SurfaceError({ code: 'component_not_found', detail, surfaceId })
  }
  const failures = failuresOf(node, { settings, root: surface.data.root, surface })
  const blocking = failures.find(({ severity }) => severity === 'error')
  const first = blocking ?? failures[0]
  if (first === undefined) return { valid: true, failures }
  const { code, message, severity } = first
  const about = code === undefined ? {} : { code }
  return { valid: blocking === undefined, ...about, message, severity, failures }
}

/**
 * Runs the checks of all nodes of a surface, in tree order.
 * @param options.dataModel replaces the surface's data
 * @throws SurfaceError `surface_not_found`
 */
export function checkSurface(
  store: AnySurfaceStore,
  surfaceId: string,
  options: { readonly dataModel?: JsonObject } = {},
): CheckFailure[] {
  const { surface, settings } = find(store, surfaceId)
  const { dataModel } = options
  const root = dataModel === undefined ? surface.data.root : mapFromJson(dataModel)
  return instancesOver(surface, root, settings).flatMap((node) =>
    failuresOf(node, { settings, root, surface }),
  )
}

function find(
  store: AnySurfaceStore,
  surfaceId: string,
): { surface: Surface; settings: StoreSettings } {
  const { surfaces, settings } = stateOfStore(store)
  const surface = surfaces.get(surfaceId)
  if (surface !== undefined) return { surface, settings }
  const detail = 'There is no such surface.'
  throw new SurfaceError({ code: 'surface_not_found', detail, surfaceId })
}

/** The nodes of a surface for the given data, in tree order. */
export function instancesOver(
  surface: Surface,
  root: DataMap,
  settings: StoreSettings,
): readonly Instance[] {
  if (root === surface.data.root) return ensureTree(surface, settings)?.instances() ?? []
  if (surface.status !== 'rendered') return []
  const { graph, id: surfaceId, catalogId } = surface
  const { limits, evaluator } = settings
  const source = {
    graph,
    data: { root },
    root: 'root',
    mode: 'pointer' as const,
    limits,
    evaluator,
    owner: { surfaceId, catalogId },
  }
  return new Tree(source).instances()
}

interface CheckPlace {
  readonly settings: StoreSettings
  readonly root: DataMap
  readonly surface: Surface
}

/** The failed checks of a node; one that cannot be evaluated counts as failed. */
export function failuresOf(
  node: Instance,
  { settings, root, surface }: CheckPlace,
): CheckFailure[] {
  const checks =
    node.definition === null ? undefined : ownValue(node.definition.properties, 'checks')
  if (!Array.isArray(checks)) return []
  const { id: nodeId, componentId, scope } = node
  const { id: surfaceId, catalogId } = surface
  const place = { root, scope: scope.segments, surfaceId, catalogId }
  const failures: CheckFailure[] = []
  checks.forEach((check: unknown, index) => {
    if (!isPlainObject(check)) return
    const failure = evaluateCondition((check.condition ?? null) as JsonValue, place, settings)
    if (failure === null) return
    const rule = typeof check.message === 'string' ? check.message : 'Invalid value.'
    failures.push({ nodeId, componentId, index, severity: 'error', message: rule, ...failure })
  })
  return failures
}

/** Null if a condition holds, else the failure. */
function evaluateCondition(
  condition: JsonValue,
  place: EvaluationPlace,
  { evaluator }: StoreSettings,
): Partial<Pick<CheckFailure, 'code' | 'message' | 'severity'>> | null {
  try {
    const result = evaluator?.evaluate(condition, place)
    if (evaluator?.syntax.isTrue(result) === true) return null
    return isPlainObject(result) ? detailsOf(result) : {}
  } catch (error) {
    if (error instanceof EvaluationError) return {}
    throw error
  }
}

const SEVERITIES: ReadonlySet<unknown> = new Set(['error', 'warning', 'info'])

function detailsOf({
  code,
  message,
  severity,
}: Record<string, unknown>): Partial<Pick<CheckFailure, 'code' | 'message' | 'severity'>> {
  return {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(SEVERITIES.has(severity) ? { severity: severity as Severity } : {}),
  }
}
