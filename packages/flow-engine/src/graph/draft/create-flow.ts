import { isObject, own, ownObject, ownText } from '@x/wire'
import type { Component } from '../../components/define/component.ts'
import { embeddedDetails } from '../../components/node/embedded-component.ts'
import { createRegistry, type ComponentRegistry } from '../../components/registry/registry.ts'
import { invalidRequest } from '../../errors.ts'
import { formatHandle, isSourceHandle, readHandle } from '../flow/handles.ts'
import { typesMeet } from '../flow/handles-fit.ts'
import type { FlowEdge, FlowJson, FlowNode } from '../flow/node-json.ts'
import { applyLayout } from './apply-layout.ts'
import type {
  FlowDraft,
  FlowOptions,
  InputRef,
  JsonNodeRef,
  LoopRef,
  NodeOptions,
  OutputRef,
} from './flow-draft.ts'
import { FlowGraph, listedOutput, sourceHandle, targetHandle, type End } from './flow-graph.ts'
import type { FlowLayout } from './flow-layout.ts'
import { placeNodes } from './place-nodes.ts'
import { addPromptFields } from './prompt-fields.ts'

/**
 * Creates a flow in code; its components type the nodes.
 * @param name of the flow; default `Flow`
 */
export function createFlow(name = 'Flow', facts: FlowOptions = {}): FlowDraft {
  const graph = new FlowGraph(name, factsOf(facts))
  const byType = new Map<string, Component>()
  const byId = new Map<string, FlowNode>()
  let registry: ComponentRegistry | undefined

  const nodeOf = (vertexId: string): FlowNode => {
    const node = byId.get(vertexId)
    if (node === undefined) throw invalidRequest(`The flow ${name} has no node ${vertexId}`)
    return node
  }
  const endOf = (ref: OutputRef | InputRef): End => {
    const node = nodeOf(ref.vertexId)
    return 'field' in ref ? fieldOf(node, ref.field) : outputOf(node, ref.name)
  }
  const add = (component: Component, options: NodeOptions = {}): Built => {
    const { values = {}, fields = {}, ...rest } = options
    const { id } = rest
    if (id !== undefined && byId.has(id))
      throw invalidRequest(`The flow ${name} already has a node ${id}`)
    const isEmbedded = embeddedDetails(component) !== undefined
    if (!isEmbedded && (byType.get(component.type) ?? component) !== component)
      throw invalidRequest(
        `The flow ${name} already has another component of the type ${component.type}`,
      )
    const unknown = Object.keys(values).find((field) => !Object.hasOwn(component.inputs, field))
    if (unknown !== undefined)
      throw invalidRequest(`The component ${component.type} has no field ${unknown}`)
    // The code of an embedded component is in its nodes.
    if (!isEmbedded) byType.set(component.type, component)
    registry = undefined
    const given = Object.fromEntries([...Object.entries(values), ...Object.entries(fields)])
    const node = graph.addComponent(component, { ...rest, values: given })
    byId.set(node.id, node)
    if (component.furtherFields === true) addPromptFields(node.data.node)
    return builtNode(node, component)
  }
  const connect = (from: OutputRef, to: InputRef | LoopRef): FlowDraft => {
    const [source, target] = [endOf(from), endOf(to)]
    const [given, taken] = [sourceHandle(source), targetHandle(target)]
    const place = (end: End): string => `${end.node.id}.${end.name}`
    if (isSourceHandle(taken) && listedOutput(target)?.allows_loop !== true)
      throw invalidRequest(`An edge must not lead back to ${place(target)}`)
    const types = isSourceHandle(taken) ? given.output_types : (taken.inputTypes ?? [taken.type])
    if (!typesMeet(given.output_types, types)) {
      const takes = types.length === 0 ? 'no edge' : types.join(' or ')
      const gives = given.output_types.join(' or ')
      throw invalidRequest(`${place(source)} provides ${gives}; ${place(target)} accepts ${takes}`)
    }
    graph.connect(source, target)
    return draft
  }
  const fixed = new Set<number>()
  const addNode = (json: unknown): JsonNodeRef => {
    const node = structuredClone(json) as FlowNode
    if (isObject(node) && node.position !== undefined) fixed.add(graph.nodes.length)
    graph.nodes.push(node)
    const id = idOf(node) ?? ''
    if (!byId.has(id)) byId.set(id, node)
    const ends = { id, input: inputRef, output: outputRef }
    return Object.freeze(ends)
    function inputRef(field: string): InputRef {
      return Object.freeze({ vertexId: id, field: fieldOf(node, field).name })
    }
    function outputRef(output: string): OutputRef {
      return refOf(node, outputOf(node, output).name)
    }
  }
  const addEdge = (json: unknown): FlowDraft => {
    const edge: unknown = structuredClone(json)
    graph.edges.push(isObject(edge) ? withHandles(edge) : (edge as FlowEdge))
    return draft
  }
  // Node types are erased here; names and value types are checked by the declarations.
  const calls = { add, connect } as unknown as Pick<FlowDraft, 'add' | 'connect'>
  const draft: FlowDraft = {
    ...calls,
    get components() {
      return (registry ??= createRegistry(byType.values()))
    },
    addNode,
    addEdge,
    toJSON(given?: unknown) {
      const flow = graph.toJSON()
      const layout = isObject(given) ? given['layout'] : facts.layout
      if (isObject(layout)) return applyLayout(flow, layout as unknown as FlowLayout, fixed)
      placeNodes(flow.data?.nodes ?? [], flow.data?.edges ?? [], fixed)
      return flow
    },
  }
  return draft
}

interface Built {
  readonly id: string
  readonly inputs: Readonly<Record<string, InputRef>>
  readonly outputs: Readonly<Record<string, OutputRef>>
  input(name: string): InputRef
  output(name: string): OutputRef
}

function builtNode(node: FlowNode, component: Component): Built {
  const { id } = node
  const inputRef = (field: string): InputRef => Object.freeze({ vertexId: id, field })
  const outputRef = (name: string): OutputRef => refOf(node, name)
  const listed = (node.data.node.outputs ?? []).map(({ name }) => name)
  return Object.freeze({
    id,
    inputs: byName(Object.keys(component.inputs), inputRef),
    outputs: byName([...Object.keys(component.outputs), ...listed], outputRef),
    input: (name: string) => inputRef(fieldOf(node, name).name),
    output: (name: string) => outputRef(outputOf(node, name).name),
  })
}

function refOf(node: FlowNode, name: string): OutputRef {
  const loops = listedOutput({ node, name })?.allows_loop === true
  return Object.freeze({ vertexId: node.id, name, ...(loops ? { allowsLoop: true } : {}) })
}

/** The facts of a flow in a file. */
function factsOf({ version, description, endpointName, id }: FlowOptions): Partial<FlowJson> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(description === undefined ? {} : { description }),
    ...(endpointName === undefined ? {} : { endpoint_name: endpointName }),
    ...(version === undefined ? {} : { last_tested_version: version }),
  }
}

/** An edge with the texts of its handles, if it has the handles alone. */
function withHandles(edge: Readonly<Record<string, unknown>>): FlowEdge {
  const data = ownObject(edge, 'data') ?? {}
  const texts = ['sourceHandle', 'targetHandle'].flatMap((key) => {
    const handle = readHandle(own(data, key))
    return handle === undefined || Object.hasOwn(edge, key) ? [] : [[key, formatHandle(handle)]]
  })
  return { ...edge, ...Object.fromEntries(texts) } as FlowEdge
}

/** The id of a node that may be any JSON. */
const idOf = (node: unknown): string | undefined =>
  isObject(node) ? ownText(node, 'id') : undefined

function byName<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  const made = Object.create(null) as Record<string, T>
  for (const name of names) made[name] = make(name)
  return Object.freeze(made)
}

function fieldOf(node: FlowNode, name: string): End {
  const template: unknown = node.data?.node?.template
  if (isObject(template) && Object.hasOwn(template, name)) return { node, name }
  throw invalidRequest(`The node ${node.id} has no field ${name}`)
}

function outputOf(node: FlowNode, name: string): End {
  const end = { node, name }
  if (listedOutput(end) !== undefined) return end
  throw invalidRequest(`The node ${node.id} has no output ${name}`)
}
