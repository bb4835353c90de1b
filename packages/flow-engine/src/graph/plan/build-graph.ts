import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { CheckedEdge } from './check-edges.ts'
import { stronglyConnected } from './cycles.ts'
import type { PlanEdge, PlanGraph, PlanVertex } from './plan-graph.ts'
import { findRegions, successorsOf, type RegionEdge, type Layout } from './regions.ts'
import { isOfClass, vertexKind, roleOf, templateValue, type ResolvedNode } from './vertex-plan.ts'

/** Converts validated nodes and edges to the scheduler's form: positions, regions, connected outputs. */
export function buildGraph(
  nodes: readonly ResolvedNode[],
  edges: readonly CheckedEdge[],
  registry: ComponentRegistry,
): PlanGraph {
  const indexOf = new Map(nodes.map((node, index) => [node.node.id, index]))
  const arcs = edges.map((edge) => ({
    source: indexOf.get(edge.source) ?? 0,
    target: indexOf.get(edge.target) ?? 0,
    output: edge.output,
    field: edge.field,
    loopBack: edge.loopBack,
  }))
  const layout = findRegions(nodes.length, arcs)
  const planEdges = arcs.map((arc, index) => planEdge(arc, index, edges, layout))
  const vertices = planVertices(nodes, planEdges, layout, inCycles(nodes.length, arcs))
  return Object.freeze({
    vertices,
    edges: planEdges,
    indexOf,
    regions: layout.regions,
    cycles: layout.cycles,
    registry,
  })
}

function planEdge(
  arc: RegionEdge,
  index: number,
  edges: readonly CheckedEdge[],
  layout: Layout,
): PlanEdge {
  const from = lift(arc.source, layout.regionOf[arc.target] ?? 0, layout)
  const loopBack = arc.loopBack && !layout.demoted.has(arc.target)
  return Object.freeze({
    source: arc.source,
    target: arc.target,
    output: arc.output,
    field: arc.field,
    index,
    sourceHandle: edges[index]?.edge.sourceHandle ?? { dataType: '', id: '', output_types: [] },
    loopBack,
    self: arc.source === arc.target && !loopBack,
    from,
    fromRegion: layout.regionOf[from] ?? 0,
  })
}

/** The vertex itself, or its outermost enclosing loop that does not also enclose the region. */
function lift(vertex: number, region: number, { regions, regionOf }: Layout): number {
  const own = regionOf[vertex] ?? 0
  if (own === 0 || own === region) return vertex
  const around = new Set(regions[region]?.path)
  const outside = regions[own]?.path.find((entry) => !around.has(entry))
  return outside === undefined ? vertex : (regions[outside]?.loop ?? vertex)
}

function planVertices(
  nodes: readonly ResolvedNode[],
  edges: readonly PlanEdge[],
  layout: Layout,
  cyclic: ReadonlySet<number>,
): PlanVertex[] {
  const incoming: PlanEdge[][] = nodes.map(() => [])
  const outgoing: PlanEdge[][] = nodes.map(() => [])
  for (const edge of edges) {
    incoming[edge.target]?.push(edge)
    outgoing[edge.source]?.push(edge)
  }
  const cycleOf = new Map(
    layout.cycles.flatMap((members, cycle) => members.map((member) => [member, cycle] as const)),
  )
  const releases = releaseLists(nodes.length, edges, layout)
  const local = new Int32Array(nodes.length)
  for (const { members } of layout.regions) {
    for (const [position, member] of members.entries()) local[member] = position
  }
  return nodes.map((node, index) => {
    const leaving = outgoing[index] ?? []
    const connected = connectedOutputs(leaving)
    const { template, overrides, renamed } = node.node
    const vertex: PlanVertex = {
      index,
      id: node.node.id,
      type: node.node.type,
      displayName: node.displayName,
      component: node.component,
      details: node.node.details,
      template,
      overrides,
      renamed,
      outputs: node.outputs,
      computed: computedOutputs(node, connected),
      connected,
      frozen: node.node.frozen,
      toolMode: node.toolMode,
      notice: node.notice,
      role: roleOf(node),
      isRoot: (incoming[index] ?? []).length === 0,
      kind: vertexKind(node),
      topLevelId: node.node.group?.top ?? node.node.id,
      group: node.node.group,
      ...chatOutputsOf(leaving, nodes),
      incoming: incoming[index] ?? [],
      outgoing: leaving,
      releases: releases[index] ?? [],
      inCycle: cyclic.has(index),
      region: layout.regionOf[index] ?? 0,
      local: local[index] ?? 0,
      loop: layout.loopRegion.get(index),
      cycle: cycleOf.get(index),
    }
    return Object.freeze(vertex)
  })
}

function connectedOutputs(leaving: readonly PlanEdge[]): ReadonlySet<string> {
  const connected = new Set<string>()
  for (const edge of leaving) if (!edge.self) connected.add(edge.output)
  return connected
}

/** The outputs with an edge, in the component's order; all offered outputs if there are no edges. */
function computedOutputs(
  { component, outputs }: ResolvedNode,
  connected: ReadonlySet<string>,
): readonly string[] {
  if (connected.size === 0) return outputs
  if (connected.size === 1) return [...connected]
  const order = [...Object.keys(component.outputs), ...outputs, ...connected]
  return [...new Set(order)].filter((name) => connected.has(name))
}

/** By `from`: the edges decided at its end, without a loop's edges into its own passes. */
function releaseLists(count: number, edges: readonly PlanEdge[], layout: Layout): PlanEdge[][] {
  const releases: PlanEdge[][] = Array.from({ length: count }, () => [])
  for (const edge of edges) {
    if (edge.loopBack || edge.self) continue
    const own = layout.loopRegion.size === 0 ? undefined : layout.loopRegion.get(edge.from)
    if (own === undefined) {
      releases[edge.from]?.push(edge)
      continue
    }
    const path = layout.regions[layout.regionOf[edge.target] ?? 0]?.path ?? []
    if (!path.includes(own)) releases[edge.from]?.push(edge)
  }
  return releases
}

const NO_CHAT: Pick<PlanVertex, 'chatOutput' | 'chatOutputs'> = {
  chatOutput: undefined,
  chatOutputs: new Set(),
}

/** The chat outputs that outputs lead to, with the sender name of the first one. */
function chatOutputsOf(
  leaving: readonly PlanEdge[],
  nodes: readonly ResolvedNode[],
): Pick<PlanVertex, 'chatOutput' | 'chatOutputs'> {
  const chats = leaving.filter((edge) => {
    const target = nodes[edge.target]
    return target !== undefined && isOfClass(target, 'ChatOutput')
  })
  const [first] = chats
  if (first === undefined) return NO_CHAT
  const chatOutputs = new Set(chats.map((edge) => edge.output))
  const node = nodes[first.target]?.node
  const name = node === undefined ? undefined : templateValue(node, 'sender_name')
  const chatOutput = typeof name === 'string' && name !== '' ? { senderName: name } : {}
  return { chatOutput, chatOutputs }
}

/** Including loop-back edges and self-edges. */
function inCycles(count: number, arcs: readonly RegionEdge[]): ReadonlySet<number> {
  const { members } = stronglyConnected(successorsOf(count, arcs))
  const cyclic = new Set(members.filter((group) => group.length > 1).flat())
  for (const arc of arcs) if (arc.source === arc.target) cyclic.add(arc.source)
  return cyclic
}
