import { diffFlows, type FlowDiff } from '@x/flow-engine'
import { findGraph, isProblem, readNode, type NodeEntry } from '@x/flow-engine/internal'
import { isObject, own, ownObject, ownText } from '@x/wire'

/** What changed between two flows, with the names that people read. */
export interface FlowDifference {
  readonly name: string
  readonly diff: FlowDiff
  /** Nodes of both flows, by id: those after hide those before. */
  readonly before: ReadonlyMap<string, NodeEntry>
  readonly after: ReadonlyMap<string, NodeEntry>
  /** Ids of nodes that are elsewhere. */
  readonly moved: readonly string[]
}

export function flowDifference(a: unknown, b: unknown): FlowDifference {
  const [before, after] = [nodesOf(a), nodesOf(b)]
  const moved = [...after].flatMap(([id, node]) => {
    const old = before.get(id)
    if (old === undefined) return []
    const [from, to] = [placeOf(old), placeOf(node)]
    return from.x === to.x && from.y === to.y ? [] : [id]
  })
  return { name: nameOf(b) ?? nameOf(a) ?? 'Flow', diff: diffFlows(a, b), before, after, moved }
}

/** `2 nodes added, 1 removed; 1 edge added`, or `no difference`. */
export function differenceSummary({ diff, moved }: FlowDifference): string {
  const { nodes, edges } = diff
  const parts = [
    counts('node', {
      added: nodes.added.length,
      removed: nodes.removed.length,
      changed: nodes.changed.length,
      moved: moved.length,
    }),
    counts('edge', { added: edges.added.length, removed: edges.removed.length }),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'no difference' : parts.join('; ')
}

/** Whether something other than a place changed. */
export function isDifferent({ diff: { nodes, edges } }: FlowDifference): boolean {
  const lists = [nodes.added, nodes.removed, nodes.changed, edges.added, edges.removed]
  return lists.some(({ length }) => length > 0)
}

/** The display name of a node and its id. */
export function titleOf(node: NodeEntry | undefined, id: string): string {
  return `${oneLine(displayName(node, id))} (${oneLine(id)})`
}

export function displayName(node: NodeEntry | undefined, id: string): string {
  return (node && ownText(node.details, 'display_name')) || node?.type || id
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** How a value of a difference is read. */
export function shownValue(value: unknown): string {
  if (value === '') return '""'
  if (typeof value === 'string') return value
  if (isObject(value) && Object.keys(value).length === 1 && typeof value['variable'] === 'string')
    return `variable ${value['variable']}`
  return JSON.stringify(value) ?? 'null'
}

export function nodesOf(flow: unknown): ReadonlyMap<string, NodeEntry> {
  const entries = (findGraph(flow)?.nodes ?? []).flatMap((value, index) => {
    const node = readNode(value, index)
    return node === undefined || isProblem(node) ? [] : [[node.id, node] as const]
  })
  return new Map(entries)
}

function nameOf(flow: unknown): string | undefined {
  const name = isObject(flow) ? ownText(flow, 'name') : undefined
  return name === undefined || name.trim() === '' ? undefined : oneLine(name)
}

/** Where a node stands; what is no usable number counts as 0. */
export function placeOf({ raw }: NodeEntry): { readonly x: number; readonly y: number } {
  const place = ownObject(raw, 'position') ?? {}
  return { x: coordinate(own(place, 'x')), y: coordinate(own(place, 'y')) }
}

function coordinate(value: unknown): number {
  const isUsable = typeof value === 'number' && Number.isFinite(value)
  return isUsable ? Math.round(Math.max(-1e5, Math.min(1e5, value))) : 0
}

function counts(noun: string, by: Readonly<Record<string, number>>): string {
  const some = Object.entries(by).filter(([, count]) => count > 0)
  return some
    .map(([what, count], at) => {
      const named = at === 0 ? ` ${noun}${count === 1 ? '' : 's'}` : ''
      return `${count}${named} ${what}`
    })
    .join(', ')
}
