import type { Catalog } from '../catalog/catalog.ts'
import { quote, type SurfaceDiagnostic, type SurfaceErrorCode } from '../diagnostics/errors.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { readVersion, type Version } from '../data/version.ts'
import { isPlainObject } from '../json.ts'
import type { UrlOptions } from '../message/unsafe-urls.ts'
import { validateMessage } from '../message/validate-message.ts'
import { storeDialectOf } from './dialects.ts'
import { createStore, stateOfStore, type SurfaceStore } from './store.ts'
import type { Mode } from '../diagnostics/report.ts'

/** Options for validating a sequence of messages. */
export interface ValidateMessagesOptions extends UrlOptions {
  /** Default: strict. */
  readonly mode?: Mode
  /** Default: the standard catalog. */
  readonly catalogs?: readonly Catalog[]
  /** Requires surfaces that began rendering to be complete at the end. Default: false. */
  readonly complete?: boolean
  /** Alternative ids of the catalogs. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Default: 0.8. */
  readonly version?: Version
  readonly limits?: Partial<SurfaceLimits>
}

/**
 * Validates a sequence by all rules of a store; duplicate ids and keys are errors in strict mode.
 * Diagnostics contain the position of their message.
 */
export function validateMessages(
  values: Iterable<unknown>,
  options: ValidateMessagesOptions = {},
): SurfaceDiagnostic[] {
  const { complete = false, ...ofStore } = options
  const { limits } = options
  const store = createStore(ofStore, { strictDuplicates: true })
  const found: SurfaceDiagnostic[] = []
  let index = 0
  const isV08 = storeDialectOf(readVersion(options.version)).family === '0.8'
  for (const value of values) {
    const { diagnostics } =
      isV08 || isKnown(value, store)
        ? store.apply(value, { index })
        : validateMessage(value, options as { version: '0.9.1' })
    for (const diagnostic of diagnostics) found.push({ ...diagnostic, index })
    index += 1
  }
  if (!complete) return found
  const { treeDepth } = resolveLimits(limits)
  for (const surface of stateOfStore(store).surfaces.values()) {
    if (surface.root === null) continue
    const definitions = [...surface.graph.definitions.values()]
    const edges: Edges = new Map(definitions.map((one) => [one.id, one.edges]))
    for (const diagnostic of incomplete(surface.id, { root: surface.root, edges, treeDepth })) {
      found.push(diagnostic)
    }
  }
  return found
}

/**
 * Returns whether a message concerns a surface created in the list; others are validated individually.
 */
function isKnown(value: unknown, store: SurfaceStore): boolean {
  if (!isPlainObject(value)) return true
  const payload = value.updateComponents ?? value.updateDataModel
  const surfaceId = isPlainObject(payload) ? payload.surfaceId : undefined
  return typeof surfaceId !== 'string' || store.get(surfaceId) !== null
}

type Edges = ReadonlyMap<string, readonly string[]>

function incomplete(
  surfaceId: string,
  { root, edges, treeDepth }: { root: string; edges: Edges; treeDepth: number },
): SurfaceDiagnostic[] {
  const found: SurfaceDiagnostic[] = []
  const add = (
    code: SurfaceErrorCode,
    message: string,
    about: Partial<SurfaceDiagnostic> = {},
  ): void => {
    found.push({ code, severity: 'error', message, path: '', surfaceId, ...about })
  }
  if (!edges.has(root)) add('missing_root', `The root ${quote(root)} is not defined.`)
  for (const [componentId, targets] of edges) {
    for (const id of new Set(targets)) {
      if (edges.has(id)) continue
      const message = `The child ${quote(id)} is not defined.`
      add('missing_child', message, { componentId, related: [id] })
    }
  }
  const depths = depthsFrom(root, edges)
  for (const componentId of edges.keys()) {
    if (depths.has(componentId)) continue
    const message = `The component ${quote(componentId)} cannot be reached from the root.`
    add('unreachable_component', message, { componentId })
  }
  if ([...depths.values()].some((depth) => depth > treeDepth)) {
    add('limit_exceeded', `The tree is deeper than ${treeDepth}.`, { limit: 'treeDepth' })
  }
  return found
}

/** The longest distance from the root to each component; the graph has no loops. */
function depthsFrom(root: string, edges: Edges): Map<string, number> {
  const order: string[] = []
  const seen = new Set<string>()
  const stack: { id: string; next: number }[] = [{ id: root, next: 0 }]
  seen.add(root)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = edges.get(top.id)?.[top.next]
    top.next += 1
    if (target === undefined) {
      order.push(top.id)
      stack.pop()
    } else if (!seen.has(target)) {
      seen.add(target)
      stack.push({ id: target, next: 0 })
    }
  }
  const depths = new Map([[root, 1]])
  for (const id of order.toReversed()) {
    const depth = depths.get(id) ?? 1
    for (const target of edges.get(id) ?? []) {
      depths.set(target, Math.max(depths.get(target) ?? 0, depth + 1))
    }
  }
  return depths
}
