import { findGraph } from '@x/flow-engine/internal'
import { isObject, setOwn, own, ownObject, ownText, type PlainObject } from '@x/wire'
import { edgesOf } from './flow-edges.ts'
import type { FlowConflict } from './merge-flows.ts'

export type Side = 'base' | 'ours' | 'theirs'

/**
 * Returns the flow with one side's value of a conflict.
 * @throws TypeError where the list does not hold that value: secrets, added nodes, lost edges
 */
export function takeSide(flow: unknown, conflict: FlowConflict, side: Side): unknown {
  if (!isObject(flow)) return flow
  // The file has ours already.
  if (side === 'ours' && conflict.kind !== 'node') return flow
  const value = conflict[side]
  const { kind, node, field = '' } = conflict
  if (kind === 'flow') return { ...flow, [field]: value }
  if (kind === 'node') {
    if (value === 'removed') return withoutNode(flow, node ?? '')
    if (value === 'changed') return flow
  }
  if (kind === 'field') {
    if (value === '*****') throw missing(conflict, side, 'it is a secret')
    return withField(flow, { node: node ?? '', field, value })
  }
  if (kind === 'edge' && value === null) {
    return withoutEdge(flow, typeof conflict.ours === 'string' ? conflict.ours : '')
  }
  throw missing(conflict, side, 'the list does not hold it')
}

function missing({ node, field }: FlowConflict, side: Side, why: string): TypeError {
  const place = [node, field].filter((part) => part !== undefined && part !== null).join(' ')
  return new TypeError(`${side} of ${place} cannot be taken: ${why}. Change the flow by hand`)
}

function withField(
  flow: PlainObject,
  {
    node,
    field,
    value,
  }: { readonly node: string; readonly field: string; readonly value: unknown },
): unknown {
  const found = (findGraph(flow)?.nodes ?? []).find(
    (item) => isObject(item) && own(item, 'id') === node,
  )
  const details = ownObject(ownObject(isObject(found) ? found : {}, 'data') ?? {}, 'node')
  if (details === undefined) return flow
  const entry = ownObject(ownObject(details, 'template') ?? {}, field)
  if (entry === undefined) setOwn(details, field, value)
  else {
    const name = isObject(value) ? own(value, 'variable') : undefined
    const isVariable = typeof name === 'string' && Object.keys(value as object).length === 1
    setOwn(entry, 'value', isVariable ? name : value)
    if (isVariable || own(entry, 'load_from_db') === true) setOwn(entry, 'load_from_db', isVariable)
  }
  return flow
}

function withoutNode(flow: PlainObject, id: string): unknown {
  return withGraph(flow, (item, list) =>
    list === 'nodes'
      ? ownText(item, 'id') !== id
      : own(item, 'source') !== id && own(item, 'target') !== id,
  )
}

function withoutEdge(flow: PlainObject, text: string): unknown {
  const gone = edgesOf(flow).find((edge) => edge.text === text)?.raw
  return withGraph(flow, (item) => item !== gone)
}

function withGraph(
  flow: PlainObject,
  keeps: (item: PlainObject, list: 'nodes' | 'edges') => boolean,
): unknown {
  const graph = findGraph(flow) ?? { nodes: [], edges: [] }
  const kept = {
    nodes: graph.nodes.filter((item) => !isObject(item) || keeps(item, 'nodes')),
    edges: graph.edges.filter((item) => !isObject(item) || keeps(item, 'edges')),
  }
  const data = ownObject(flow, 'data')
  return data === undefined ? { ...flow, ...kept } : { ...flow, data: { ...data, ...kept } }
}
