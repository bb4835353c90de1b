import { append } from '@x/wire'
import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { edgeState, type Scope, type SideBySide } from './scope.ts'

/** Registers a new pass of a loop. */
export function addPass(scope: Scope, loop: number, pass: Scope): void {
  scope.passes ??= new Map()
  const running = scope.passes.get(loop)
  if (running === undefined) scope.passes.set(loop, new Set([pass]))
  else running.add(pass)
  scope.lastPass ??= new Map()
  scope.lastPass.set(loop, pass)
}

/** Called when a loop that is being built knows its number of items. */
export function announcePasses(
  scope: Scope,
  loop: number,
  { parallel, items }: Pick<SideBySide, 'parallel' | 'items'>,
): void {
  scope.sideBySide ??= new Map()
  if (scope.sideBySide.has(loop)) return
  const returned = new Map<string, unknown[]>()
  scope.sideBySide.set(loop, { parallel, items, given: 0, building: true, returned })
}

/** True if the loop is to be built now: for another item, or because all passes are over. */
export function isLoopDue(passes: SideBySide, running: number): boolean {
  if (passes.building) return false
  return passes.given < passes.items ? running < passes.parallel : running === 0
}

/** Stores the value a pass returned; of several loop-back edges, the last one that delivers wins. */
export function keepReturned(
  graph: PlanGraph,
  pass: Scope,
  { vertex, passes }: { readonly vertex: PlanVertex; readonly passes: SideBySide },
): void {
  for (const edge of vertex.incoming) {
    if (!edge.loopBack) continue
    const state = edgeState(graph, pass, edge)
    if (typeof state !== 'object') continue
    const values = passes.returned.get(edge.field) ?? []
    values[pass.item] = state.outputs[edge.output] ?? null
    passes.returned.set(edge.field, values)
  }
}

/**
 * The value of a loop-back edge for the build after the last pass: the values of all passes in item order,
 * null for passes that returned none. Undefined in earlier builds.
 */
export function returnedValues(passes: SideBySide, field: string): readonly unknown[] | undefined {
  if (passes.given < passes.items) return undefined
  const values = passes.returned.get(field)
  return Array.from({ length: passes.items }, (_, item) => values?.[item] ?? null)
}

/** Removes the running passes of a loop, including those of nested loops, and returns them. */
export function cancelPasses(scope: Scope, loop: number, except: Scope | undefined): Scope[] {
  const running = scope.passes?.get(loop)
  if (running === undefined) return []
  const cancelled: Scope[] = []
  for (const pass of running) {
    if (pass === except) continue
    running.delete(pass)
    pass.cancelled = true
    cancelled.push(pass)
    for (const inner of pass.passes?.keys() ?? []) {
      append(cancelled, cancelPasses(pass, inner, undefined))
    }
  }
  return cancelled
}

/** The signal that stops the builds of a scope before the run stops: that of the nearest parallel pass. */
export function signalOf(scope: Scope): AbortSignal | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.stop !== undefined) return at.stop.signal
  }
  return undefined
}
