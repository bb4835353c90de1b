import type { ShapeV09 } from '../../catalog/v09/shape.ts'
import { quote } from '../../diagnostics/errors.ts'
import type { Report } from '../../diagnostics/report.ts'
import type { ComponentBatch, UpdateKind } from '../../graph/component-batch.ts'
import type { Definition } from '../../graph/definition.ts'
import type { Graph } from '../../graph/graph.ts'

/** The components a message inserted into a graph. */
interface Composition {
  /** Components that are new or changed their type. */
  readonly retyped: readonly Definition[]
  readonly kind: UpdateKind
  readonly report: Report
}

/**
 * Reports components in disallowed positions: all parent-child pairs of which the message contains
 * one. The graph already contains the components.
 */
export function checkComposition(
  graph: Graph,
  batch: ComponentBatch,
  { retyped, kind, report }: Composition,
): void {
  for (const parent of batch.values()) {
    for (const id of new Set(parent.edges)) {
      const child = graph.definitions.get(id)
      if (child !== undefined) checkPair(parent, child, { blamed: parent, kind, report })
      if (report.isSaturated) return
    }
    if (parent.id === 'root') checkRoot(parent, { kind, report })
  }
  for (const child of retyped) {
    for (const id of graph.owners(child.id)) {
      const parent = graph.definitions.get(id)
      if (parent === undefined || batch.has(id)) continue
      checkPair(parent, child, { blamed: child, kind, report })
      if (report.isSaturated) return
    }
  }
}

function shapeOf({ core, type }: Definition): ShapeV09 | undefined {
  return core?.v09?.components.get(type)
}

function checkPair(
  parent: Definition,
  child: Definition,
  { blamed, kind, report }: { blamed: Definition; kind: UpdateKind; report: Report },
): void {
  const place = { at: [kind, 'components', blamed.position], componentId: blamed.id }
  const parents = shapeOf(child)?.parents
  if (parents !== undefined && !parents.has(parent.type)) {
    const under = `${name(parent.id)} (${parent.type})`
    const message = `Component ${name(child.id)} (${child.type}) cannot be placed under ${under}.`
    report.add('unallowed_parent', `${message} Allowed parents: ${list(parents)}.`, place)
  }
  const children = shapeOf(parent)?.children
  if (children !== undefined && !children.has(child.type)) {
    const inner = `${name(child.id)} (${child.type})`
    const message = `Container ${name(parent.id)} (${parent.type}) cannot contain ${inner}.`
    report.add('unallowed_child', `${message} Allowed children: ${list(children)}.`, place)
  }
}

/** The parent of the root is the surface itself. */
function checkRoot(root: Definition, { kind, report }: { kind: UpdateKind; report: Report }): void {
  const parents = shapeOf(root)?.parents
  if (parents === undefined || parents.has('Surface')) return
  const message = `Component 'root' (${root.type}) cannot be placed under the surface.`
  report.add('unallowed_parent', `${message} Allowed parents: ${list(parents)}.`, {
    at: [kind, 'components', root.position],
    componentId: root.id,
  })
}

function name(id: string): string {
  return `'${quote(id).slice(1, -1)}'`
}

function list(types: ReadonlySet<string>): string {
  return [...types].join(', ')
}
