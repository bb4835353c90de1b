import type { Component } from '../../components/define/component.ts'
import { createRegistry, type ComponentRegistry } from '../../components/registry/registry.ts'
import { invalidRequest } from '../../errors.ts'
import { isSourceHandle } from '../flow/handles.ts'
import { typesMeet } from '../flow/handles-fit.ts'
import type { FlowNode } from '../flow/node-json.ts'
import type { FlowDraft, InputRef, LoopRef, NodeOptions, OutputRef } from './flow-draft.ts'
import { FlowGraph, listedOutput, sourceHandle, targetHandle, type End } from './flow-graph.ts'

/**
 * Creates a flow in code; its components type the nodes.
 * @param name of the flow; default `Flow`
 */
export function createFlow(name = 'Flow'): FlowDraft {
  const graph = new FlowGraph(name)
  const byType = new Map<string, Component>()
  let registry: ComponentRegistry | undefined

  const nodeOf = (vertexId: string): FlowNode => {
    const node = graph.nodes.find(({ id }) => id === vertexId)
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
    if (id !== undefined && graph.nodes.some((node) => node.id === id))
      throw invalidRequest(`The flow ${name} already has a node ${id}`)
    if ((byType.get(component.type) ?? component) !== component)
      throw invalidRequest(
        `The flow ${name} already has another component of the type ${component.type}`,
      )
    const unknown = Object.keys(values).find((field) => !Object.hasOwn(component.inputs, field))
    if (unknown !== undefined)
      throw invalidRequest(`The component ${component.type} has no field ${unknown}`)
    byType.set(component.type, component)
    registry = undefined
    const given = { ...values, ...fields }
    return builtNode(graph.addComponent(component, { ...rest, values: given }), component)
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
  // Node types are erased here; names and value types are checked by the declarations.
  const calls = { add, connect } as unknown as Pick<FlowDraft, 'add' | 'connect'>
  const draft: FlowDraft = {
    ...calls,
    get components() {
      return (registry ??= createRegistry(byType.values()))
    },
    toJSON: () => graph.toJSON(),
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
  const outputRef = (name: string): OutputRef => {
    const loops = listedOutput({ node, name })?.allows_loop === true
    return Object.freeze({ vertexId: id, name, ...(loops ? { allowsLoop: true } : {}) })
  }
  const listed = (node.data.node.outputs ?? []).map(({ name }) => name)
  return Object.freeze({
    id,
    inputs: byName(Object.keys(component.inputs), inputRef),
    outputs: byName([...Object.keys(component.outputs), ...listed], outputRef),
    input: (name: string) => inputRef(fieldOf(node, name).name),
    output: (name: string) => outputRef(outputOf(node, name).name),
  })
}

function byName<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  const made = Object.create(null) as Record<string, T>
  for (const name of names) made[name] = make(name)
  return Object.freeze(made)
}

function fieldOf(node: FlowNode, name: string): End {
  if (Object.hasOwn(node.data.node.template, name)) return { node, name }
  throw invalidRequest(`The node ${node.id} has no field ${name}`)
}

function outputOf(node: FlowNode, name: string): End {
  const end = { node, name }
  if (listedOutput(end) !== undefined) return end
  throw invalidRequest(`The node ${node.id} has no output ${name}`)
}
