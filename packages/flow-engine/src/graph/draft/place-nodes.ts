import { isObject } from '@x/wire'
import type { FlowEdge, FlowNode } from '../flow/node-json.ts'

const COLUMN = 400
const ROW = 300

/**
 * Places nodes in columns by their depth, below the nodes that have a place already.
 * @param placed indices of nodes that stay where they are
 */
export function placeNodes(
  nodes: readonly FlowNode[],
  edges: readonly FlowEdge[],
  placed: ReadonlySet<number>,
): void {
  const depths = depthsOf(nodes, edges)
  let top = 0
  for (const index of placed) top = Math.max(top, bottomOf(nodes[index]) + ROW)
  const rows = new Map<number, number>()
  for (const [index, node] of nodes.entries()) {
    if (placed.has(index) || !isObject(node)) continue
    const depth = depths[index] ?? 0
    const row = rows.get(depth) ?? 0
    rows.set(depth, row + 1)
    node.position = { x: depth * COLUMN, y: top + row * ROW }
  }
}

function bottomOf(node: unknown): number {
  const place = isObject(node) ? node['position'] : undefined
  const y = isObject(place) ? place['y'] : undefined
  return typeof y === 'number' && Number.isFinite(y) ? y : 0
}

/** The longest way from a start; nodes of a cycle follow what leads into it. */
function depthsOf(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): readonly number[] {
  const indexOf = new Map(nodes.map((node, index) => [isObject(node) ? node.id : '', index]))
  const following: number[][] = nodes.map(() => [])
  const open = nodes.map(() => 0)
  for (const { source, target } of edges.filter(isObject)) {
    const [from, to] = [indexOf.get(source), indexOf.get(target)]
    if (from === undefined || to === undefined || from === to) continue
    following[from]?.push(to)
    open[to] = (open[to] ?? 0) + 1
  }
  const depths = nodes.map(() => 0)
  const done = new Set<number>()
  const ready = [...open.keys()].filter((index) => open[index] === 0)
  // The first node that is left opens a cycle.
  for (let next = 0; done.size < nodes.length;) {
    let index = ready.pop()
    if (index === undefined) {
      while (done.has(next)) next += 1
      index = next
    }
    if (done.has(index)) continue
    done.add(index)
    for (const to of following[index] ?? []) {
      if (done.has(to)) continue
      depths[to] = Math.max(depths[to] ?? 0, (depths[index] ?? 0) + 1)
      open[to] = (open[to] ?? 0) - 1
      if (open[to] === 0) ready.push(to)
    }
  }
  return depths
}
