import { goesBack, type CycleRun } from './cycle-run.ts'
import type { PlanEdge, PlanGraph, PlanVertex } from '../plan/plan-graph.ts'

/** The outputs that a decision closes. */
export interface Closed {
  readonly vertex: PlanVertex
  /** The closed outputs in question. */
  readonly outputs: ReadonlySet<string>
  /** All closed outputs of the decision. */
  readonly dead: ReadonlySet<string>
  /** The entered cycle that the vertex is part of: its back edges are not followed. */
  readonly cycle?: CycleRun | undefined
}

/**
 * Finds what decisions cut off: the vertices that can be reached from the closed outputs of a vertex and not
 * from its others. Each decision costs two searches, which are kept with the plan.
 */
export class Cuts {
  readonly #graph: PlanGraph
  /** Joins are cut too. */
  readonly #strict: boolean
  readonly #kept: KeptCuts
  /** Edges visited since the count was last set to 0. */
  searched = 0

  constructor(graph: PlanGraph, strict: boolean) {
    this.#graph = graph
    this.#strict = strict
    this.#kept = keptCuts(graph)
  }

  /** Positions of the vertices that are cut off, in node order. */
  behind(closed: Closed): readonly number[] {
    const { vertex, outputs, dead } = closed
    if (outputs.size === 0) return NOTHING
    if (closed.cycle !== undefined) return this.#find(closed)
    const key = JSON.stringify([vertex.index, this.#strict, [...outputs], [...dead]])
    const known = this.#kept.cuts.get(key)
    if (known !== undefined) return known
    const found = this.#find(closed)
    if (this.#kept.room >= found.length) {
      this.#kept.room -= found.length + 1
      this.#kept.cuts.set(key, found)
    }
    return found
  }

  /** True if neither the vertex nor anything before it can decide about branches. */
  isFree(index: number): boolean {
    return (this.#kept.free ??= findFree(this.#graph))[index] === 1
  }

  #find({ vertex, outputs, dead, cycle }: Closed): readonly number[] {
    const reached = this.#reach(vertex, cycle, (edge) => outputs.has(edge.output))
    if (reached.length === 0) return NOTHING
    if (this.#strict) return reached.toSorted((a, b) => a - b)
    const { marks } = this.#kept
    this.#reach(vertex, cycle, (edge) => !dead.has(edge.output))
    const { stamp } = this.#kept
    return reached.filter((index) => marks[index] !== stamp).toSorted((a, b) => a - b)
  }

  /** Everything behind some edges of a vertex, without the vertex itself; marks it with a new stamp. */
  #reach(
    start: PlanVertex,
    cycle: CycleRun | undefined,
    takes: (edge: PlanEdge) => boolean,
  ): number[] {
    const { vertices } = this.#graph
    const kept = this.#kept
    const { marks } = kept
    kept.stamp += 1
    const { stamp } = kept
    const found: number[] = []
    marks[start.index] = stamp
    const follow = (edge: PlanEdge): void => {
      if (edge.loopBack || marks[edge.target] === stamp) return
      // Edges that nobody drew only put Notify before Listen.
      if (vertices[edge.target]?.component.sharedKey?.reads === edge.field) return
      if (cycle !== undefined && goesBack(cycle, edge)) return
      marks[edge.target] = stamp
      found.push(edge.target)
    }
    for (const edge of start.outgoing) if (takes(edge)) follow(edge)
    for (const index of found) {
      const leaving = vertices[index]?.outgoing ?? []
      this.searched += leaving.length
      for (const edge of leaving) follow(edge)
    }
    return found
  }
}

/** What is kept with a plan, and the marks of its searches. */
interface KeptCuts {
  readonly cuts: Map<string, readonly number[]>
  /** Number of positions that may still be kept. */
  room: number
  readonly marks: Uint32Array
  stamp: number
  free: Uint8Array | undefined
}

const NOTHING: readonly number[] = []

const ofGraph = new WeakMap<PlanGraph, KeptCuts>()

function keptCuts(graph: PlanGraph): KeptCuts {
  const known = ofGraph.get(graph)
  if (known !== undefined) return known
  const { length } = graph.vertices
  const kept: KeptCuts = {
    cuts: new Map<string, readonly number[]>(),
    room: 16 * length + 1000,
    marks: new Uint32Array(length),
    stamp: 0,
    free: undefined,
  }
  ofGraph.set(graph, kept)
  return kept
}

function findFree({ vertices }: PlanGraph): Uint8Array {
  const free = new Uint8Array(vertices.length).fill(1)
  const work = vertices.filter(mayDecide)
  for (const { index } of work) free[index] = 0
  for (const { outgoing } of work) {
    for (const { target } of outgoing) {
      const vertex = vertices[target]
      if (free[target] !== 1 || vertex === undefined) continue
      free[target] = 0
      work.push(vertex)
    }
  }
  return free
}

function mayDecide({ outputs, component }: PlanVertex): boolean {
  if (outputs.length > 1 || component.nodeOutputs !== undefined) return true
  return component.sandboxed === true
}

/** True for a loop: what it stops between its passes cuts nothing off. */
export function controlsPasses({ incoming, component, loop }: PlanVertex): boolean {
  if (loop !== undefined) return true
  const { inputs, outputs } = component
  return incoming.some(
    ({ field }) => !Object.hasOwn(inputs, field) && Object.hasOwn(outputs, field),
  )
}
