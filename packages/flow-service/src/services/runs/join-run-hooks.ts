import type { Around, RunHooks } from '@x/flow-engine'

/**
 * Combines hooks, called in order; `within` functions nest, the first outermost. If one throws, later ones
 * are not called.
 */
export function joinRunHooks(given: readonly (RunHooks | undefined)[]): RunHooks | undefined {
  const all = given.filter((hooks) => hooks !== undefined)
  if (all.length < 2) return all[0]
  return {
    content: all.some((hooks) => hooks.content === true),
    onRunStart: (run) => all.forEach((hooks) => hooks.onRunStart?.(run)),
    onRunEnd: (run, end) => all.forEach((hooks) => hooks.onRunEnd?.(run, end)),
    onVertexStart: (vertex) => nested(all.map((hooks) => hooks.onVertexStart?.(vertex))),
    onVertexEnd: (vertex, end) => all.forEach((hooks) => hooks.onVertexEnd?.(vertex, end)),
    onCallStart: (call) => nested(all.map((hooks) => hooks.onCallStart?.(call))),
    onCallEnd: (call, end) => all.forEach((hooks) => hooks.onCallEnd?.(call, end)),
  }
}

function nested(each: readonly (void | Around)[]): Around | undefined {
  const outer = each.filter((one) => one !== undefined)
  if (outer.length === 0) return undefined
  return (work) => outer.reduceRight<typeof work>((inner, next) => () => next(inner), work)()
}
