import { noIds, type Definition } from './definition.ts'
import { sameEdges, type Graph } from './graph.ts'

/** A loop that a message closes. */
export interface Loop {
  readonly owner: Definition
  /** Index of the closing reference among the owner's edges. */
  readonly edge: number
  /** The ids of the loop, starting with the owner. */
  readonly related: string[]
}

/** Maximum visits spent on finding more loops of a message that is rejected anyway. */
const BUDGET = 1_000_000

/**
 * The loops that inserting `changed` would close, each at the first closing reference in message
 * order. The stored graph has none.
 */
export function findLoops(graph: Graph, changed: ReadonlyMap<string, Definition>): readonly Loop[] {
  const loops: Loop[] = []
  if (!someMayClose(graph, changed)) return loops
  const view = createView(graph, changed, regionOf(graph, changed))
  while (view.hasLoop(Infinity) && loops.length < 100) {
    loops.push(view.takeFirst())
    if (view.visits() > BUDGET) break
  }
  return loops
}

function someMayClose(graph: Graph, changed: ReadonlyMap<string, Definition>): boolean {
  if (changed.size > 1) return !isOrdered(graph, changed)
  for (const { id, edges } of changed.values()) {
    if (edges.length === 0) return false
    // A single component closes a loop only through a stored component or itself.
    if (!graph.isReferenced(id)) return edges.includes(id)
    return !sameEdges(edges, graph.definitions.get(id)?.edges ?? noIds)
  }
  return false
}

/**
 * Returns whether all references lead to later components of the message, or all to earlier ones, or to
 * components without references; they cannot form a loop then.
 */
function isOrdered(graph: Graph, changed: ReadonlyMap<string, Definition>): boolean {
  let forwards = true
  let backwards = true
  for (const { position, edges } of changed.values()) {
    for (const id of edges) {
      const target = changed.get(id)
      if (target === undefined) {
        if ((graph.definitions.get(id)?.edges.length ?? 0) > 0) return false
      } else if (target.position > position) backwards = false
      else if (target.position < position) forwards = false
      else return false
      if (!forwards && !backwards) return false
    }
  }
  return true
}

interface View {
  /** Returns whether a loop exists if only the first `count` references of the message are inserted. */
  hasLoop(count: number): boolean
  /** Finds and reports the first closing reference, which is ignored from then on. */
  takeFirst(): Loop
  visits(): number
}

/**
 * A set of components that contains every new loop: those that lead to a changed one, or those reachable
 * from one, whichever is found in fewer steps.
 */
function regionOf(graph: Graph, changed: ReadonlyMap<string, Definition>): ReadonlySet<string> {
  const above = new Set(changed.keys())
  const below = new Set(changed.keys())
  const upwards = above.values()
  const downwards = below.values()
  let [upCost, downCost] = [0, 0]
  for (;;) {
    const goesUp = upCost <= downCost
    const next = (goesUp ? upwards : downwards).next()
    if (next.done === true) return goesUp ? above : below
    const id = next.value
    const found = goesUp
      ? graph.owners(id)
      : ((changed.get(id) ?? graph.definitions.get(id))?.edges ?? noIds)
    for (const other of found) (goesUp ? above : below).add(other)
    if (goesUp) upCost += 1 + found.length
    else downCost += 1 + found.length
  }
}

function createView(
  graph: Graph,
  changed: ReadonlyMap<string, Definition>,
  region: ReadonlySet<string>,
): View {
  const offsets = new Map<string, number>()
  let total = 0
  for (const { id, edges } of changed.values()) {
    offsets.set(id, total)
    total += edges.length
  }
  const removed = new Set<number>()
  let visited = 0

  /** The targets of a component if `count` references of the message are inserted. */
  const targets = (id: string, count: number): readonly string[] => {
    const own = changed.get(id)
    if (own === undefined) return graph.definitions.get(id)?.edges ?? []
    const offset = offsets.get(id) ?? 0
    if (removed.size === 0 && offset + own.edges.length <= count) return own.edges
    return own.edges.filter((_, i) => offset + i < count && !removed.has(offset + i))
  }

  const hasLoop = (count: number): boolean => {
    const done = new Set<string>()
    const open = new Set<string>()
    for (const start of changed.keys()) {
      if (done.has(start)) continue
      const stack = [{ id: start, list: targets(start, count), next: 0 }]
      open.add(start)
      for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
        visited += 1
        const target = top.list[top.next]
        top.next += 1
        if (target === undefined) {
          open.delete(top.id)
          done.add(top.id)
          stack.pop()
        } else if (open.has(target)) return true
        else if (region.has(target) && !done.has(target)) {
          open.add(target)
          stack.push({ id: target, list: targets(target, count), next: 0 })
        }
      }
    }
    return false
  }

  /** The ids from `start` to `goal`, inclusive. */
  const pathBetween = (start: string, goal: string, count: number): string[] => {
    const from = new Map<string, string | null>([[start, null]])
    for (const [id] of from) {
      if (id === goal) break
      for (const target of targets(id, count)) {
        if (region.has(target) && !from.has(target)) from.set(target, id)
      }
    }
    const path: string[] = []
    for (let id: string | null | undefined = goal; typeof id === 'string'; id = from.get(id)) {
      path.push(id)
    }
    return path.toReversed()
  }

  return {
    hasLoop,
    visits: () => visited,
    takeFirst() {
      let low = 0
      let high = total
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if (hasLoop(middle + 1)) high = middle
        else low = middle + 1
      }
      const { owner, edge } = ownerOf(low, changed, offsets)
      const target = owner.edges[edge] ?? owner.id
      const path = pathBetween(target, owner.id, low)
      removed.add(low)
      return { owner, edge, related: [owner.id, ...path.slice(0, -1)] }
    },
  }
}

function ownerOf(
  position: number,
  changed: ReadonlyMap<string, Definition>,
  offsets: ReadonlyMap<string, number>,
): { owner: Definition; edge: number } {
  let found: { owner: Definition; edge: number } | undefined
  for (const owner of changed.values()) {
    const offset = offsets.get(owner.id) ?? 0
    if (offset > position) break
    if (owner.edges.length > 0) found = { owner, edge: position - offset }
  }
  if (found === undefined) throw new RangeError(`No reference ${position}`)
  return found
}
