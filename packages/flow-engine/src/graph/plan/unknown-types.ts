import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { FlatNode } from '../flow/expand-groups.ts'
import type { FlowNode } from '../flow/flow-json.ts'
import { problem, type FlowProblem } from '../flow/problems.ts'

/** A node without a component; includes the reason if its own code is the cause. */
export interface UnknownNode {
  readonly node: FlatNode
  readonly why: string | undefined
  /** The missing requirement of its own code; reported before problems with its type. */
  readonly needs?: string | undefined
}

/** Beyond this number, names and ids are counted instead of listed. */
const MAX_LISTED = 50
const MAX_NAME = 200

/**
 * One problem for each node of unknown type. All have the same message, which lists every type with its node
 * ids and, if known, the reason.
 */
export function unknownTypes(
  nodes: readonly UnknownNode[],
  registry: ComponentRegistry,
): FlowProblem[] {
  if (nodes.length === 0) return []
  const text = `Unknown component types: ${listed([...groups(nodes, registry)])}`
  return nodes.map(({ node }) => problem('unknown_component', text, { nodeId: node.id }))
}

function* groups(nodes: readonly UnknownNode[], registry: ComponentRegistry): Generator<string> {
  const byType = new Map<string, { type: string; ids: string[]; why: string | undefined }>()
  for (const { node, why, needs } of nodes) {
    const reason = reasonOf(needs, registry.whyUnknown(node.raw as FlowNode), why)
    const key = JSON.stringify([node.type, reason])
    const group = byType.get(key) ?? { type: node.type, ids: [], why: reason }
    group.ids.push(short(node.id))
    byType.set(key, group)
  }
  for (const { type, ids, why } of byType.values()) {
    yield `${short(type)} (${listed(ids)}${why === undefined ? '' : `: ${why}`})`
  }
}

/** What the type table advises (`use ...`) follows what is said of the node's own code. */
function reasonOf(needs: string | undefined, known: string | undefined, why: string | undefined) {
  const text = needs ?? why
  if (known?.startsWith('use ') !== true || text === undefined) return needs ?? known ?? why
  if (text.includes('Replace the node by')) return text
  return text.endsWith('.') ? `${text} U${known.slice(1)}.` : `${text}; ${known}`
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED
  return more > 0 ? `${names.slice(0, MAX_LISTED).join(', ')} and ${more} more` : names.join(', ')
}

function short(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name
}
