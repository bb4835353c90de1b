import { isObject, own, ownObject, ownText, type PlainObject } from '@x/wire'
import type { Component } from '../../components/define/component.ts'
import { classOf } from '../flow/flow-json.ts'
import type { FlatNode } from '../flow/expand-groups.ts'
import type { PlanVertex } from './plan-graph.ts'

/** The only output of a node in tool mode. */
export const TOOL_OUTPUT = 'component_as_tool'

/** A node with its component, before edges are checked. */
export interface ResolvedNode {
  readonly node: FlatNode
  readonly component: Component
  readonly displayName: string
  readonly toolMode: boolean
  /** In the component's order. */
  readonly outputs: readonly string[]
  /** How the component that runs differs from the one the node shows. */
  readonly notice: string | undefined
}

const INPUTS: ReadonlySet<string> = new Set(['ChatInput', 'TextInput', 'Webhook'])
const OUTPUTS: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput'])

export function resolvedNode(node: FlatNode, general: Component, notice?: string): ResolvedNode {
  const toolMode = own(node.details, 'tool_mode') === true
  const component = withOwnOutputs(general, node)
  return {
    node,
    component,
    displayName: ownText(node.details, 'display_name') || component.displayName,
    toolMode,
    notice,
    outputs: toolMode ? [TOOL_OUTPUT] : offeredOutputs(node.details, component),
  }
}

/** Applies the node's own outputs if they depend on its values. */
function withOwnOutputs(component: Component, node: FlatNode): Component {
  if (component.nodeOutputs === undefined) return component
  const names = Object.keys(component.inputs)
  const values = Object.fromEntries(names.map((name) => [name, templateValue(node, name)]))
  return Object.freeze({ ...component, outputs: Object.freeze(component.nodeOutputs(values)) })
}

/** The outputs listed on the node, else those of a new node. */
function offeredOutputs(details: PlainObject, component: Component): readonly string[] {
  const names = Object.keys(component.outputs)
  if (component.nodeOutputs !== undefined) return names
  const listed = own(details, 'outputs')
  if (!Array.isArray(listed)) {
    return names.filter((name) => component.outputs[name]?.dynamic !== true)
  }
  const offered = new Set(listed.filter(isObject).map((output) => ownText(output, 'name')))
  return names.filter((name) => offered.has(name))
}

/** True if an edge may start at this output. */
export function hasOutput({ component, outputs }: ResolvedNode, name: string): boolean {
  return outputs.includes(name) || name === TOOL_OUTPUT || Object.hasOwn(component.outputs, name)
}

/** True if an edge may end at this field. */
export function hasField({ component, node }: ResolvedNode, name: string): boolean {
  return Object.hasOwn(component.inputs, name) || ownObject(node.template, name) !== undefined
}

/** True if an edge may loop back to this output. */
export function takesLoop({ component, node }: ResolvedNode, name: string): boolean {
  if (!Object.hasOwn(component.outputs, name)) return false
  if (component.outputs[name]?.allowsLoop === true) return true
  const listed = own(node.details, 'outputs')
  if (!Array.isArray(listed)) return false
  const output = listed.filter(isObject).find((item) => ownText(item, 'name') === name)
  return output !== undefined && own(output, 'allows_loop') === true
}

export function isOfClass({ node }: Pick<ResolvedNode, 'node'>, name: string): boolean {
  return classOf(node.id) === name || node.type === name
}

export function roleOf({ node, component }: ResolvedNode): PlanVertex['role'] {
  const names = [classOf(node.id), node.type]
  if (names.some((name) => INPUTS.has(name))) return 'input'
  if (names.some((name) => OUTPUTS.has(name))) return 'output'
  return component.role
}

export function vertexKind(node: ResolvedNode): PlanVertex['kind'] {
  if (isOfClass(node, 'ChatInput')) return 'chatInput'
  return isOfClass(node, 'Webhook') ? 'webhook' : undefined
}

/** The template value, overridden by values copied down from groups. */
export function templateValue(vertex: Pick<PlanVertex, 'template' | 'overrides'>, field: string) {
  if (vertex.overrides.has(field)) return vertex.overrides.get(field)
  return own(ownObject(vertex.template, field) ?? {}, 'value')
}
