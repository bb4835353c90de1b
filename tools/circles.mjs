// Files that import each other in a circle.

/** Strongly connected files of a graph of imports, found without recursion (Tarjan). */
export function circlesOf(/** @type {ReadonlyMap<string, readonly string[]>} */ graph) {
  const state = new Map()
  const stack = []
  const found = []
  let counter = 0
  for (const start of graph.keys()) {
    if (state.has(start)) continue
    const work = [{ node: start, next: 0 }]
    while (work.length > 0) {
      const frame = work.at(-1)
      const { node } = frame
      if (!state.has(node)) {
        state.set(node, { index: counter, low: counter, onStack: true })
        counter += 1
        stack.push(node)
      }
      const targets = (graph.get(node) ?? []).filter((target) => graph.has(target))
      const target = targets[frame.next]
      const own = state.get(node)
      if (target !== undefined) {
        frame.next += 1
        const other = state.get(target)
        if (other === undefined) work.push({ node: target, next: 0 })
        else if (other.onStack) own.low = Math.min(own.low, other.index)
        continue
      }
      work.pop()
      const parent = work.at(-1)
      if (parent !== undefined) {
        const up = state.get(parent.node)
        up.low = Math.min(up.low, own.low)
      }
      if (own.low !== own.index) continue
      const group = stack.splice(stack.indexOf(node))
      for (const member of group) state.get(member).onStack = false
      if (group.length > 1) found.push(group)
    }
  }
  return found
}
