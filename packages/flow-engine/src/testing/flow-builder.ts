import { builtinComponents } from '../components.ts'
import { createNode } from '../components/node/create-node.ts'
import type { Component } from '../components/define/component.ts'
import { formatHandle, type Handle } from '../graph/flow/handles.ts'
import type {
  FlowEdge,
  FlowJson,
  FlowNode,
  NodeOutput,
  NodeTemplate,
} from '../graph/flow/flow-json.ts'

export interface AddOptions {
  /** Default `<type>-00001`, counted. */
  readonly id?: string
  readonly values?: Readonly<Record<string, unknown>>
  readonly displayName?: string
  readonly frozen?: boolean
  readonly toolMode?: boolean
}

/** Builds flows as the editor would export them. */
export interface FlowBuilder {
  /** A text stands for the built-in component of that type, else for one that nobody knows. Gives the node's id. */
  add(component: Component | string, options?: AddOptions): string
  /** `'ChatInput-00001.message'` to `'Shout-00001.text'`; to a loop's output: the edge that comes back. */
  connect(from: string, to: string): FlowBuilder
  /** Moves nodes into a group; edges between them go along, edges across its border get proxies. */
  group(id: string, nodeIds: readonly string[]): FlowBuilder
  note(text: string): FlowBuilder
  toJSON(): FlowJson
}

export function flowBuilder(name = 'Flow'): FlowBuilder {
  let nodes: FlowNode[] = []
  let edges: FlowEdge[] = []
  let count = 0
  const builder: FlowBuilder = {
    add(given, options = {}) {
      const component = typeof given === 'string' ? (builtin().get(given) ?? given) : given
      const type = typeof component === 'string' ? component : component.type
      count += 1
      const id = options.id ?? nextId(type, nodes)
      const position = { x: 400 * (count - 1), y: 0 }
      nodes.push(
        typeof component === 'string'
          ? unknownNode(component, id, position)
          : createNode(component, { ...options, id, position }),
      )
      return id
    },
    connect(from, to) {
      edges.push(edgeBetween(end(from, nodes), end(to, nodes)))
      return builder
    },
    group(id, nodeIds) {
      ;({ nodes, edges } = grouped({ id, nodeIds: new Set(nodeIds) }, nodes, edges))
      return builder
    },
    note(text) {
      const id = nextId('note', nodes)
      const node = { template: {}, description: text, display_name: '' }
      nodes.push({
        id,
        type: 'noteNode',
        position: { x: 0, y: 0 },
        data: { id, type: 'note', node },
      })
      return builder
    },
    toJSON: () => structuredClone({ name, description: '', data: { nodes, edges } }),
  }
  return builder
}

let builtinTypes: ReadonlyMap<string, Component> | undefined

function builtin(): ReadonlyMap<string, Component> {
  builtinTypes ??= new Map(builtinComponents.map((component) => [component.type, component]))
  return builtinTypes
}

function nextId(type: string, nodes: readonly FlowNode[]): string {
  const taken = new Set(nodes.flatMap(allIds))
  for (let number = 1; ; number += 1) {
    const id = `${type}-${String(number).padStart(5, '0')}`
    if (!taken.has(id)) return id
  }
}

function allIds(node: FlowNode): string[] {
  const inner = (node.data.node.flow as FlowJson | undefined)?.data?.nodes ?? []
  return [node.id, ...inner.flatMap(allIds)]
}

function unknownNode(type: string, id: string, position: { x: number; y: number }): FlowNode {
  const node = { template: {}, outputs: [], display_name: type }
  return { id, type: 'genericNode', position, data: { id, type, node } }
}

interface End {
  readonly node: FlowNode
  /** Output or field. */
  readonly name: string
}

/** `<node id>.<name>`; a node id may hold dots, a name may not. */
function end(text: string, nodes: readonly FlowNode[]): End {
  const dot = text.lastIndexOf('.')
  const id = text.slice(0, dot)
  const node = nodes.find((candidate) => candidate.id === id)
  if (dot < 0 || node === undefined) throw new RangeError(`There is no node for ${text}`)
  return { node, name: text.slice(dot + 1) }
}

function edgeBetween(from: End, to: End): FlowEdge {
  const source = sourceHandle(from)
  const target = targetHandle(to)
  const [sourceText, targetText] = [formatHandle(source), formatHandle(target)]
  return {
    id: `xy-edge__${from.node.id}${sourceText}-${to.node.id}${targetText}`,
    source: from.node.id,
    target: to.node.id,
    sourceHandle: sourceText,
    targetHandle: targetText,
    data: { sourceHandle: source, targetHandle: target },
  }
}

function outputOf({ node, name }: End): NodeOutput | undefined {
  return node.data.node.outputs?.find((output) => output.name === name)
}

function sourceHandle(from: End): Handle {
  const { id, data } = from.node
  const types = outputOf(from)?.types ?? []
  return { dataType: data.type, id, name: from.name, output_types: types }
}

function targetHandle(to: End): Handle {
  const { id, data } = to.node
  const template = data.node.template
  const field = Object.hasOwn(template, to.name) ? template[to.name] : undefined
  const output = outputOf(to)
  if (field === undefined && output !== undefined) {
    const types = [...(output.types ?? []), ...(output.loop_types ?? [])]
    return { dataType: data.type, id, name: to.name, output_types: types }
  }
  const inputTypes = field?.input_types
  const handle = { fieldName: to.name, id, type: field?.type ?? 'str' }
  return inputTypes === undefined || inputTypes === null ? handle : { ...handle, inputTypes }
}

interface GroupSpec {
  readonly id: string
  readonly nodeIds: ReadonlySet<string>
}

/** A group in wire form: inner flow, and proxies for the edges that cross its border (FE-7). */
function grouped(
  { id, nodeIds }: GroupSpec,
  nodes: readonly FlowNode[],
  edges: readonly FlowEdge[],
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
  const output = node === undefined ? undefined : outputOf({ node, name: handle.name ?? '' })
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
