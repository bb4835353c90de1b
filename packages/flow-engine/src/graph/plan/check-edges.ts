import type { FlatEdge } from '../flow/expand-groups.ts'
import { isSourceHandle } from '../flow/handles.ts'
import { handlesFit } from '../flow/handles-fit.ts'
import { problem, warning, type FlowProblem } from '../flow/problems.ts'
import { isUnknownComponent } from './unknown-component.ts'
import { hasField, hasOutput, takesLoop, type ResolvedNode } from './vertex-plan.ts'

/** An edge that is valid for both of its nodes. */
export interface CheckedEdge {
  readonly source: string
  readonly target: string
  readonly output: string
  readonly field: string
  readonly loopBack: boolean
  readonly edge: FlatEdge
}

/**
 * The edges of a flow without duplicates; invalid ones are added to `problems`, those without a
 * source or target to `dangling`: only builds refuse them.
 */
export function checkEdges(
  edges: readonly FlatEdge[],
  nodes: ReadonlyMap<string, ResolvedNode | null>,
  { problems, dangling }: { readonly problems: FlowProblem[]; readonly dangling: FlowProblem[] },
): CheckedEdge[] {
  const checked = new Map<string, CheckedEdge>()
  for (const edge of edges) {
    const source = nodes.get(edge.source)
    const target = nodes.get(edge.target)
    if (source === undefined || target === undefined) {
      const missing = [edge.source, edge.target].filter((id) => !nodes.has(id))
      for (const id of new Set(missing)) {
        const place = { nodeId: id, edgeId: edge.id }
        dangling.push(problem('missing_node', `Vertex ${id} not found`, place))
      }
    }
    // An unknown component has been reported already; its handles cannot be checked.
    if (!source || !target) continue
    if (isUnknownComponent(source.component) || isUnknownComponent(target.component)) {
      const loose = looseEdge(edge, source, target)
      if (loose !== undefined) add(checked, loose)
      continue
    }
    const result = checkEdge(edge, source, target)
    if ('severity' in result) problems.push(result)
    else add(checked, result)
  }
  return [...checked.values()]
}

/** An edge to or from an unknown component. It cannot be checked and only determines the order. */
function looseEdge(
  edge: FlatEdge,
  source: ResolvedNode,
  target: ResolvedNode,
): CheckedEdge | undefined {
  const { sourceHandle, targetHandle } = edge
  if (isSourceHandle(targetHandle)) return undefined
  const output = sourceHandle.name ?? source.outputs[0] ?? ''
  const field = presentName(target, targetHandle.fieldName)
  if (!isUnknownComponent(source.component) && !hasOutput(source, output)) return undefined
  if (!isUnknownComponent(target.component) && !hasField(target, field)) return undefined
  return { source: edge.source, target: edge.target, output, field, loopBack: false, edge }
}

function checkEdge(
  edge: FlatEdge,
  source: ResolvedNode,
  target: ResolvedNode,
): CheckedEdge | FlowProblem {
  const { sourceHandle, targetHandle } = edge
  const loopBack = isSourceHandle(targetHandle)
  const field = isSourceHandle(targetHandle)
    ? (targetHandle.name ?? '')
    : presentName(target, targetHandle.fieldName)
  const text = `Edge between ${source.displayName} and ${target.displayName} has invalid handles`
  const bad = (code: 'missing_field' | 'type_mismatch', why: string) =>
    problem(code, `${text}: ${why}`, { edgeId: edge.id, nodeId: edge.target, field })
  const output = sourceHandle.name ?? source.outputs[0]
  if (output === undefined || !hasOutput(source, output)) {
    const place = { edgeId: edge.id, nodeId: edge.source, field: output ?? '' }
    const why = `${source.displayName} has no output "${output ?? ''}"`
    return problem('missing_output', `${text}: ${why}`, place)
  }
  if (loopBack ? !takesLoop(target, field) : !hasField(target, field))
    return bad('missing_field', `${target.displayName} has no input "${field}"`)
  if (edge.typed && !handlesFit(sourceHandle, targetHandle)) {
    const takes = isSourceHandle(targetHandle)
      ? targetHandle.output_types
      : (targetHandle.inputTypes ?? [targetHandle.type])
    const why = `"${output}" gives ${sourceHandle.output_types.join(', ')}, "${field}" takes ${takes.join(', ')}`
    return bad('type_mismatch', why)
  }
  return { source: edge.source, target: edge.target, output, field, loopBack, edge }
}

const presentName = ({ node }: ResolvedNode, name: string): string =>
  node.renamed?.get(name) ?? name

function add(checked: Map<string, CheckedEdge>, edge: CheckedEdge): void {
  const key = keyOf(edge)
  if (!checked.has(key)) checked.set(key, edge)
}

function keyOf({ source, target, output, field, loopBack }: CheckedEdge): string {
  return JSON.stringify([source, target, output, field, loopBack])
}

/** Edges into fields that only the template of their node has: their values are not used. */
export function ignoredEdges(
  edges: readonly CheckedEdge[],
  nodes: ReadonlyMap<string, ResolvedNode | null>,
): FlowProblem[] {
  return edges.flatMap(({ target: id, field, loopBack, edge }) => {
    const target = nodes.get(id)
    if (!target || loopBack || isUnknownComponent(target.component)) return []
    const { component, displayName } = target
    if (component.furtherFields === true || Object.hasOwn(component.inputs, field)) return []
    const text = `${displayName} has no field ${field} any more: the value of its edge is not used`
    return [warning('ignored_edge', text, { nodeId: id, edgeId: edge.id, field })]
  })
}
