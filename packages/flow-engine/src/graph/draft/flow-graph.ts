import { isObject, own, ownObject } from '@x/wire'
import { createNode, type CreateNodeOptions } from '../../components/node/create-node.ts'
import type { Component } from '../../components/define/component.ts'
import { formatHandle, type SourceHandle, type TargetHandle } from '../flow/handles.ts'
import type { FlowEdge, FlowJson, FlowNode, NodeOutput } from '../flow/node-json.ts'

/** An output or a field of a node. */
export interface End {
  readonly node: FlowNode
  readonly name: string
}

/** Nodes and edges in the editor's export format. */
export class FlowGraph {
  nodes: FlowNode[] = []
  edges: FlowEdge[] = []
  readonly #name: string
  readonly #facts: Partial<FlowJson>
  #added = 0

  constructor(name: string, facts: Partial<FlowJson> = {}) {
    this.#name = name
    this.#facts = facts
  }

  /**
   * Adds the node that `make` returns for its id and place. The default id is `<type>-00001`, numbered
   * consecutively.
   */
  add(type: string, id: string | undefined, make: (place: Place) => FlowNode): FlowNode {
    const position = { x: 400 * this.#added, y: 0 }
    this.#added += 1
    const node = make({ id: id ?? this.nextId(type), position })
    this.nodes.push(node)
    return node
  }

  addComponent(component: Component, options: CreateNodeOptions): FlowNode {
    return this.add(component.type, options.id, (place) =>
      createNode(component, { ...options, ...place }),
    )
  }

  nextId(type: string): string {
    const taken = new Set(this.nodes.flatMap(allIds))
    for (let number = 1; ; number += 1) {
      const id = `${type}-${String(number).padStart(5, '0')}`
      if (!taken.has(id)) return id
    }
  }

  connect(from: End, to: End): void {
    this.edges.push(edgeBetween(from, to))
  }

  toJSON(): FlowJson {
    const { nodes, edges } = this
    const facts = { name: this.#name, description: '', ...this.#facts }
    return structuredClone({ ...facts, data: { nodes, edges } })
  }
}

interface Place {
  readonly id: string
  readonly position: { readonly x: number; readonly y: number }
}

/** Nodes that were added as JSON may have any form. */
function allIds(node: unknown): string[] {
  if (!isObject(node)) return []
  const details = ownObject(ownObject(node, 'data') ?? {}, 'node') ?? {}
  const inner = own(ownObject(ownObject(details, 'flow') ?? {}, 'data') ?? {}, 'nodes')
  return [String(own(node, 'id')), ...(Array.isArray(inner) ? inner.flatMap(allIds) : [])]
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

/** The output with that name that the node lists. */
export function listedOutput({ node, name }: End): NodeOutput | undefined {
  const listed: unknown = node.data?.node?.outputs
  if (!Array.isArray(listed)) return undefined
  return (listed as NodeOutput[]).find((output) => isObject(output) && output.name === name)
}

export function sourceHandle(from: End): SourceHandle {
  const { id, data } = from.node
  const types = listedOutput(from)?.types ?? []
  return { dataType: data.type, id, name: from.name, output_types: types }
}

/** The handle of a field, or of an output if the node has no such field: a loop-back edge. */
export function targetHandle(to: End): SourceHandle | TargetHandle {
  const { id, data } = to.node
  const template = data.node.template
  const field = Object.hasOwn(template, to.name) ? template[to.name] : undefined
  const output = listedOutput(to)
  if (field === undefined && output !== undefined) {
    const types = [...(output.types ?? []), ...(output.loop_types ?? [])]
    return { dataType: data.type, id, name: to.name, output_types: types }
  }
  const inputTypes = field?.input_types
  const handle = { fieldName: to.name, id, type: field?.type ?? 'str' }
  return inputTypes === undefined || inputTypes === null ? handle : { ...handle, inputTypes }
}
