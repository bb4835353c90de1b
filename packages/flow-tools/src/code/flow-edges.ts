import { own, ownObject, type PlainObject } from '@x/wire'
import { findGraph, isProblem, readEdge } from '@x/flow-engine/internal'

/** An edge with the text that names it. */
export interface NamedEdge {
  readonly source: string
  readonly target: string
  /** Of the target; undefined for an edge whose handles are of an old form. */
  readonly field: string | undefined
  /** `<source>.<output> -> <target>.<field>`. */
  readonly text: string
  readonly raw: PlainObject
}

/** The edges of a flow, by the ends that they have. */
export function edgesOf(flow: unknown): NamedEdge[] {
  return (findGraph(flow)?.edges ?? []).flatMap((value, index) => {
    const edge = readEdge(value, index)
    if (isProblem(edge)) return []
    const { source, target, raw } = edge
    const data = ownObject(raw, 'data') ?? {}
    const output = own(ownObject(data, 'sourceHandle') ?? {}, 'name')
    const handle = ownObject(data, 'targetHandle') ?? {}
    const field = own(handle, 'fieldName') ?? own(handle, 'name')
    const isRead = typeof output === 'string' && typeof field === 'string'
    const text = isRead
      ? `${source}.${output} -> ${target}.${field}`
      : `${source} ${String(own(raw, 'sourceHandle'))} -> ${target} ${String(own(raw, 'targetHandle'))}`
    return [{ source, target, field: isRead ? field : undefined, text, raw }]
  })
}
