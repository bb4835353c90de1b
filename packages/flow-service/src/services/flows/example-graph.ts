import { createNode } from '@x/flow-engine'
import { updatePromptFields } from '@x/flow-engine/internal'
import type { FlowEdge, FlowNode } from '@x/flow-engine'
import type { ComponentRegistry } from '@x/flow-engine'
import { formatHandle, type Handle } from '@x/flow-engine'

/** A node of an example: its type, the suffix of its id, and field values. */
export interface ExampleNode {
  readonly type: string
  readonly key: string
  /** Position in the editor. */
  readonly at: readonly [column: number, row: number]
  readonly values?: Readonly<Record<string, unknown>>
  readonly toolMode?: boolean
}

/** From `key.output` to `key.field`. */
export type ExampleEdge = readonly [from: string, to: string]

/** A graph in the editor's export format; undefined if a component is missing. */
export function exampleGraph(
  components: ComponentRegistry,
  nodes: readonly ExampleNode[],
  edges: readonly ExampleEdge[],
): { nodes: FlowNode[]; edges: FlowEdge[] } | undefined {
  const made = new Map<string, FlowNode>()
  for (const node of nodes) {
    const component = components.get(node.type)
    if (component === undefined) return undefined
    const [column, row] = node.at
    const values = node.values ?? {}
    const flowNode = createNode(component, {
      id: `${component.type.replaceAll(' ', '')}-${node.key}`,
      position: { x: column * 420, y: row * 320 },
      values,
      ...(node.toolMode === true ? { toolMode: true } : {}),
    })
    // A key field of an example always names a variable, whatever the component's template says.
    const key = flowNode.data.node.template['api_key']
    if (key !== undefined && 'api_key' in values) key.load_from_db = true
    if (typeof values['template'] === 'string') addPromptFields(flowNode, values['template'])
    made.set(node.key, flowNode)
  }
  return {
    nodes: [...made.values()],
    edges: edges.map(([from, to]) => connect(made, from, to)),
  }
}

function addPromptFields(node: FlowNode, prompt: string): void {
  const details = node.data.node
  const before = { template: details.template, customFields: details['custom_fields'] }
  const { template, customFields } = updatePromptFields(before, 'template', prompt)
  details.template = template
  details['custom_fields'] = customFields
}

function connect(nodes: ReadonlyMap<string, FlowNode>, from: string, to: string): FlowEdge {
  const [source, output] = end(nodes, from)
  const [target, name] = end(nodes, to)
  const declared = source.data.node.outputs?.find((one) => one.name === output)
  const field = target.data.node.template[name]
  const inputTypes = field?.input_types
  const sourceHandle: Handle = {
    dataType: source.data.type,
    id: source.id,
    name: output,
    output_types: declared?.types ?? [],
  }
  const targetHandle: Handle = {
    fieldName: name,
    id: target.id,
    type: field?.type ?? 'str',
    ...(inputTypes === undefined || inputTypes === null ? {} : { inputTypes }),
  }
  const [sourceText, targetText] = [formatHandle(sourceHandle), formatHandle(targetHandle)]
  return {
    id: `xy-edge__${source.id}${sourceText}-${target.id}${targetText}`,
    source: source.id,
    target: target.id,
    sourceHandle: sourceText,
    targetHandle: targetText,
    data: { sourceHandle, targetHandle },
  }
}

function end(nodes: ReadonlyMap<string, FlowNode>, text: string): [node: FlowNode, name: string] {
  const [key = '', name = ''] = text.split('.')
  const node = nodes.get(key)
  if (node === undefined) throw new RangeError(`There is no node ${key}`)
  return [node, name]
}
