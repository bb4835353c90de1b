import type { CheckedEdge } from './check-edges.ts'
import { own, ownObject } from '@x/wire'
import { problem, type FlowProblem } from '../flow/problems.ts'
import type { ResolvedNode } from './vertex-plan.ts'

/**
 * Finds streaming vertices that are downstream of another streaming vertex: one problem for
 * each.
 */
export function connectedStreams(
  nodes: readonly ResolvedNode[],
  edges: readonly CheckedEdge[],
): FlowProblem[] {
  const streaming = nodes.filter(streams)
  if (streaming.length < 2) return []
  const byId = new Map(nodes.map((node) => [node.node.id, node]))
  const next = new Map<string, string[]>()
  for (const { source, target } of edges) {
    const targets = next.get(source)
    if (targets === undefined) next.set(source, [target])
    else targets.push(target)
  }
  const before = new Map<string, ResolvedNode>()
  for (const origin of streaming) {
    const queue = [...(next.get(origin.node.id) ?? [])]
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (before.has(id) || id === origin.node.id) continue
      before.set(id, origin)
      for (const target of next.get(id) ?? []) queue.push(target)
    }
  }
  return streaming.flatMap((node) => describe(before.get(node.node.id), byId.get(node.node.id)))
}

function streams({ node }: ResolvedNode): boolean {
  const field = ownObject(node.template, 'stream')
  if (field === undefined) return false
  const value = node.overrides.has('stream') ? node.overrides.get('stream') : own(field, 'value')
  return value === true
}

function describe(first: ResolvedNode | undefined, second: ResolvedNode | undefined) {
  if (first === undefined || second === undefined) return []
  const names = `${first.displayName}, ${second.displayName}`
  const text = `Only one of the connected components ${names} may stream`
  return [problem('several_streams', text, { nodeId: second.node.id })]
}
