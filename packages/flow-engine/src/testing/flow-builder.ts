import { basicComponents } from '../components.ts'
import type { Component } from '../components/define/component.ts'
import { FlowGraph, listedOutput, type End } from '../graph/draft/flow-graph.ts'
import { formatHandle, type Handle } from '../graph/flow/handles.ts'
import type {
  FlowEdge,
  FlowJson,
  FlowNode,
  NodeOutput,
  NodeTemplate,
} from '../graph/flow/flow-json.ts'

export interface AddOptions {
  /** Default: `<type>-00001`, numbered consecutively. */
  readonly id?: string
  readonly values?: Readonly<Record<string, unknown>>
  readonly displayName?: string
  readonly frozen?: boolean
  readonly toolMode?: boolean
}

/** Builds flows in the editor's export format. */
export interface FlowBuilder {
  /** A string is the type of a known component, else of an unknown one. Returns the node id. */
  add(component: Component | string, options?: AddOptions): string
  /**
   * From `'ChatInput-00001.message'` to `'Shout-00001.text'`. If the target is a loop's output, a loop-back
   * edge.
   */
  connect(from: string, to: string): FlowBuilder
  /** Moves nodes into a group with the edges between them; edges across its border get proxies. */
  group(id: string, nodeIds: readonly string[]): FlowBuilder
  note(text: string): FlowBuilder
  toJSON(): FlowJson
}

export interface FlowBuilderOptions {
  /** Components that `add` finds by their type, besides the basic ones of this package. Default: none. */
  readonly components?: Iterable<Component>
}

export function flowBuilder(
  name = 'Flow',
  { components = [] }: FlowBuilderOptions = {},
): FlowBuilder {
  const graph = new FlowGraph(name)
  const own = new Map([...components].map((component) => [component.type, component]))
  const find = (type: string): Component | undefined => own.get(type) ?? basic().get(type)
  const builder: FlowBuilder = {
    add(given, options = {}) {
      const component = typeof given === 'string' ? (find(given) ?? given) : given
      if (typeof component !== 'string') return graph.addComponent(component, options).id
      return graph.add(component, options.id, (place) => unknownNode(component, place)).id
    },
    connect(from, to) {
      graph.connect(end(from, graph.nodes), end(to, graph.nodes))
      return builder
    },
    group(id, nodeIds) {
      Object.assign(graph, grouped({ id, nodeIds: new Set(nodeIds) }, graph))
      return builder
    },
    note(text) {
      const id = graph.nextId('note')
      const node = { template: {}, description: text, display_name: '' }
      graph.nodes.push({
        id,
        type: 'noteNode',
        position: { x: 0, y: 0 },
        data: { id, type: 'note', node },
      })
      return builder
    },
    toJSON: () => graph.toJSON(),
  }
  return builder
}

let basicTypes: ReadonlyMap<string, Component> | undefined

function basic(): ReadonlyMap<string, Component> {
  basicTypes ??= new Map(basicComponents.map((component) => [component.type, component]))
  return basicTypes
}

function unknownNode(type: string, place: Pick<FlowNode, 'id' | 'position'>): FlowNode {
  const node = { template: {}, outputs: [], display_name: type }
  return { ...place, type: 'genericNode', data: { id: place.id, type, node } }
}

/** Parses `<node id>.<name>`; a node id may contain dots, a name may not. */
function end(text: string, nodes: readonly FlowNode[]): End {
  const dot = text.lastIndexOf('.')
  const id = text.slice(0, dot)
  const node = nodes.find((candidate) => candidate.id === id)
  if (dot < 0 || node === undefined) throw new RangeError(`There is no node for ${text}`)
  return { node, name: text.slice(dot + 1) }
}

interface GroupSpec {
  readonly id: string
  readonly nodeIds: ReadonlySet<string>
}

/** A group in wire form: its inner flow, and proxies for the edges that cross its border. */
function grouped(
  { id, nodeIds }: GroupSpec,
  { nodes, edges }: Pick<FlowGraph, 'nodes' | 'edges'>,
): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const inner = nodes.filter((node) => nodeIds.has(node.id))
  const within = edges.filter((edge) => nodeIds.has(edge.source) && nodeIds.has(edge.target))
  const template: NodeTemplate = {}
  const outputs: NodeOutput[] = []
  const outer = edges
    .filter((edge) => !within.includes(edge))
    .map((edge) => {
      if (nodeIds.has(edge.target)) return intoGroup(edge, id, template)
      return nodeIds.has(edge.source) ? outOfGroup(edge, { id, inner, outputs }) : edge
    })
  const node = {
    template,
    outputs,
    display_name: 'Group',
    flow: { data: { nodes: inner, edges: within } },
  }
  const group: FlowNode = {
    id,
    type: 'genericNode',
    position: inner[0]?.position ?? { x: 0, y: 0 },
    data: { id, type: 'GroupNode', node },
  }
  const at = nodes.findIndex((candidate) => nodeIds.has(candidate.id))
  const left = nodes.filter((candidate) => !nodeIds.has(candidate.id))
  return { nodes: left.toSpliced(Math.max(0, at), 0, group), edges: outer }
}

interface HandleParts {
  readonly fieldName?: string
  readonly name?: string
}

function intoGroup(edge: FlowEdge, id: string, template: NodeTemplate): FlowEdge {
  const handle = edge.data?.targetHandle as HandleParts
  const proxy = { id: edge.target, field: handle.fieldName ?? '' }
  const fieldName = `${proxy.field}_${proxy.id}`
  template[fieldName] = { type: 'str', name: fieldName, value: null, show: true, proxy }
  const target = { ...handle, fieldName, id, proxy } as unknown as Handle
  return rewired(edge, { target: id, targetHandle: target })
}

interface Leaving {
  readonly id: string
  readonly inner: readonly FlowNode[]
  readonly outputs: NodeOutput[]
}

function outOfGroup(edge: FlowEdge, { id, inner, outputs }: Leaving): FlowEdge {
  const handle = edge.data?.sourceHandle as HandleParts
  const node = inner.find((candidate) => candidate.id === edge.source)
  const output = node === undefined ? undefined : listedOutput({ node, name: handle.name ?? '' })
  const name = `${edge.source}_${handle.name ?? ''}`
  if (!outputs.some((known) => known.name === name)) {
    outputs.push({ ...output, name, proxy: { id: edge.source, name: handle.name ?? '' } })
  }
  const source = { ...handle, name, id } as unknown as Handle
  return rewired(edge, { source: id, sourceHandle: source })
}

function rewired(
  edge: FlowEdge,
  change: { source?: string; target?: string; sourceHandle?: Handle; targetHandle?: Handle },
): FlowEdge {
  const source = change.sourceHandle ?? edge.data?.sourceHandle
  const target = change.targetHandle ?? edge.data?.targetHandle
  return {
    ...edge,
    source: change.source ?? edge.source,
    target: change.target ?? edge.target,
    sourceHandle: formatHandle(source as Handle),
    targetHandle: formatHandle(target as Handle),
    data: { ...edge.data, sourceHandle: source, targetHandle: target },
  }
}
