import { isObject, own, ownObject, type PlainObject } from '@x/wire'
import type { Component } from '../../components/define/component.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import { expandGroups } from '../flow/expand-groups.ts'
import { findGraph, type FlowNode } from '../flow/flow-json.ts'
import { graphOf, type FlowPlan } from './compile.ts'

const plans = new WeakMap<FlowPlan, boolean>()

/** True if runs of a plan may ask a person, either in a component or before a tool call. */
export function planAsksPeople(plan: FlowPlan): boolean {
  const known = plans.get(plan)
  if (known !== undefined) return known
  const vertices = graphOf(plan)?.vertices ?? []
  const asks = vertices.some(({ component, connected, template }) =>
    asksPeople(component, template, connected.size > 0),
  )
  plans.set(plan, asks)
  return asks
}

/** The same for a flow that has not been compiled. */
export function flowAsksPeople(flow: unknown, components: ComponentRegistry): boolean {
  const raw = findGraph(flow)
  if (raw === undefined) return false
  const { nodes, edges } = expandGroups(raw)
  const connected = new Set(edges.map(({ source }) => source))
  return nodes.some(({ id, raw: node, template }) =>
    asksPeople(components.resolve(node as FlowNode), template, connected.has(id)),
  )
}

function asksPeople(
  component: Component | undefined,
  template: PlainObject,
  isConnected: boolean,
): boolean {
  const { suspends = false } = component ?? {}
  if (suspends === true || (suspends === 'connected' && isConnected)) return true
  return hasApprovals(template)
}

/** True if tool calls require approval. */
function hasApprovals(template: PlainObject): boolean {
  const rows = own(ownObject(template, 'tools_metadata') ?? {}, 'value')
  if (!Array.isArray(rows)) return false
  return rows.some((row: unknown) => {
    const actions = isObject(row) ? own(row, 'approval_actions') : undefined
    return Array.isArray(actions) && actions.length > 0
  })
}
