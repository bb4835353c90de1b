import { LazySignal } from '../context/lazy-signal.ts'
import type { Region } from '../plan/plan-graph.ts'
import { barMembers } from './bars.ts'
import { createCycleRun } from './cycle-run.ts'
import { countOpenEdges } from './open-edges.ts'
import { addPass } from './parallel-passes.ts'
import type { ScheduleState } from './schedule-state.ts'
import { membersIn, Scope, type Built } from './scope.ts'

/** Opens the scope of the whole flow. */
export function openRoot(state: ScheduleState): Scope {
  const { waiting } = state.slice
  const region = regionAt(state, 0)
  const root = new Scope(region, { parent: undefined, serial: 0, waiting })
  if (waiting === undefined) enter(state, root)
  else root.remaining = membersIn(region, state.slice)
  return root
}

/** Opens a pass of a loop that has just been built. */
export function openPass(
  state: ScheduleState,
  parent: Scope,
  { loop, opener }: { readonly loop: number; readonly opener: Built },
): Scope {
  const beside = parent.sideBySide?.get(loop)
  state.serial += 1
  const pass = new Scope(regionAt(state, loop), {
    parent,
    serial: state.serial,
    opener,
    item: beside?.given,
    stop: beside === undefined ? undefined : new LazySignal(),
  })
  enter(state, pass)
  state.passes ??= new Set()
  state.passes.add(pass)
  addPass(parent, loop, pass)
  barMembers(state, pass)
  return pass
}

/** Counts the open edges of a scope and enters its cycle. */
function enter(state: ScheduleState, scope: Scope): void {
  const { graph, slice, decided } = state
  for (const edge of countOpenEdges(scope, state)) decided.push(edge)
  const vertex = slice.entry === undefined ? undefined : graph.vertices[slice.entry]
  if (vertex?.cycle === undefined || vertex.region !== scope.region.index) return
  const members = graph.cycles[vertex.cycle] ?? []
  state.cycles ??= new Map()
  state.cycles.set(scope, createCycleRun(graph, vertex.index, members))
}

function regionAt({ graph }: ScheduleState, index: number): Region {
  const region = graph.regions[index]
  if (region === undefined) throw new RangeError(`There is no region ${index}`)
  return region
}
