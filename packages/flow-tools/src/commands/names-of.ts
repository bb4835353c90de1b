import type { FlowJson } from '@x/flow-engine'

/** The display names of a flow's nodes, by id. */
export function namesOf(flow: unknown): ReadonlyMap<string, string> {
  const { data } = (isDraft(flow) ? flow.toJSON() : (flow ?? {})) as FlowJson
  return new Map(
    (data?.nodes ?? []).map((node) => [node.id, node.data?.node?.display_name ?? node.id]),
  )
}

/** A flow of code. */
export function isDraft(flow: unknown): flow is { toJSON(): FlowJson } {
  return (
    typeof flow === 'object' && flow !== null && typeof Reflect.get(flow, 'toJSON') === 'function'
  )
}
