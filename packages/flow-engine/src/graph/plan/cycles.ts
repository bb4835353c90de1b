/** The strongly connected component of each vertex. */
export interface Components {
  readonly of: Int32Array
  /** Members of each component, in ascending order. */
  readonly members: readonly (readonly number[])[]
}

/** Successors of each vertex, by index. */
export type Successors = readonly (readonly number[])[]

/** Tarjan's algorithm with an explicit stack: linear time, no recursion. */
export function stronglyConnected(successors: Successors): Components {
  const count = successors.length
  const of = new Int32Array(count).fill(-1)
  const order = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const next = new Int32Array(count)
  const open: number[] = []
  const members: number[][] = []
  let clock = 0
  for (let root = 0; root < count; root += 1) {
    if (order[root] !== -1) continue
    const path = [root]
    while (path.length > 0) {
      const vertex = path[path.length - 1] ?? 0
      if (order[vertex] === -1) {
        order[vertex] = low[vertex] = clock
        clock += 1
        open.push(vertex)
      }
      const child = nextChild(vertex, successors, next)
      if (child === undefined) {
        path.pop()
        close(vertex, path[path.length - 1])
      } else if (order[child] === -1) {
        path.push(child)
      } else if (of[child] === -1) {
        low[vertex] = Math.min(low[vertex] ?? 0, order[child] ?? 0)
      }
    }
  }
  return { of, members }

  function close(vertex: number, parent: number | undefined): void {
    if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[vertex] ?? 0)
    if (low[vertex] !== order[vertex]) return
    const group: number[] = []
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      of[member] = members.length
      group.push(member)
      if (member === vertex) break
    }
    members.push(group.toSorted((a, b) => a - b))
  }
}

function nextChild(vertex: number, successors: Successors, next: Int32Array): number | undefined {
  const at = next[vertex] ?? 0
  next[vertex] = at + 1
  return successors[vertex]?.[at]
}

/** All vertices reachable from `starts`, including the starts. */
export function reachable(starts: Iterable<number>, successors: Successors): Set<number> {
  const seen = new Set<number>(starts)
  for (const vertex of seen) {
    for (const next of successors[vertex] ?? []) seen.add(next)
  }
  return seen
}
