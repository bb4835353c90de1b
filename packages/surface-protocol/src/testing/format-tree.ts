import { isPlainObject } from '../json.ts'
import type { TreeNode } from '../tree/instance.ts'

/** Formats a tree as text, one node per line with indented children; for assertions. */
export function formatTree(tree: TreeNode | null): string {
  return tree === null ? '' : lines(tree, '').join('\n')
}

function lines(node: TreeNode, indent: string): string[] {
  const { id, type, weight, properties } = node
  const children: TreeNode[] = []
  const shown = Object.entries(properties).map(([name, value]) => {
    return `${name}=${JSON.stringify(withoutNodes(value, children))}`
  })
  const head = [
    id,
    type ?? 'pending',
    ...(weight === undefined ? [] : [`weight=${weight}`]),
    ...shown,
  ]
  return [`${indent}${head.join(' ')}`, ...children.flatMap((child) => lines(child, `${indent}  `))]
}

/** Replaces nodes by their ids and collects them. */
function withoutNodes(value: unknown, nodes: TreeNode[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNodes(item, nodes))
  if (!isPlainObject(value)) return value
  if (isNode(value)) {
    nodes.push(value)
    return `#${value.id}`
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withoutNodes(item, nodes)]),
  )
}

function isNode(value: object): value is TreeNode {
  return 'componentId' in value && 'scope' in value && 'properties' in value
}
