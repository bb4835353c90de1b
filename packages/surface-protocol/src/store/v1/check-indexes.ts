import type { Report } from '../../diagnostics/report.ts'
import type { ComponentBatch, UpdateKind } from '../../graph/component-batch.ts'
import type { Definition } from '../../graph/definition.ts'
import type { Graph } from '../../graph/graph.ts'
import { planOf } from '../../graph/plan.ts'

/**
 * Reports components that use their position but only occur outside templates: those of the
 * message, and those below newly linked ones.
 */
export function checkIndexes(
  graph: Graph,
  batch: ComponentBatch,
  { relinked, kind, report }: { relinked: ReadonlySet<string>; kind: UpdateKind; report: Report },
): void {
  let reachable: ReadonlySet<string> | null = null
  const seen = new Set<string>()
  for (const start of batch.values()) {
    const stack = [start]
    for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
      if (seen.has(one.id)) continue
      seen.add(one.id)
      if (asksForIndex(one) && !graph.isInTemplate(one.id)) {
        reachable ??= reachableIn(graph)
        if (reachable.has(one.id)) {
          report.add('index_outside_template', 'A position exists inside a template only.', {
            at: [kind, 'components', start.position],
            componentId: one.id,
          })
        }
        if (report.isSaturated) return
      }
      if (one === start && !relinked.has(one.id)) continue
      for (const child of childrenOf(graph, one)) stack.push(child)
    }
  }
}

/** The existing children that no template repeats, since repeated ones have a position. */
function childrenOf(graph: Graph, { edges, templates }: Definition): Definition[] {
  const repeated = new Set(templates)
  const found: Definition[] = []
  for (const id of edges) {
    const child = repeated.has(id) ? undefined : graph.definitions.get(id)
    if (child !== undefined) found.push(child)
  }
  return found
}

/** Returns whether a component has a value that depends on its position. */
function asksForIndex(definition: Definition): boolean {
  // Components without computed values need no plan.
  if (definition.core === null) return false
  return planOf(definition).bindings.some(({ dynamic }) => dynamic?.usesIndex === true)
}

/** The components reachable from the root. */
function reachableIn({ definitions }: Graph): ReadonlySet<string> {
  const found = new Set(definitions.has('root') ? ['root'] : [])
  for (const id of found) for (const child of definitions.get(id)?.edges ?? []) found.add(child)
  return found
}
