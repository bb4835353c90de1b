import { isObject, own, ownObject } from '@x/wire'
import { isSecretField, isVariableName } from './secret-values.ts'

type Json = Readonly<Record<string, unknown>>

/** A copy of a flow whose secret fields are blank, unless they hold the name of a variable. */
export function withoutSecrets(flow: unknown): {
  readonly flow: unknown
  /** Fields that held a value, by the id of their outermost node. */
  readonly removed: ReadonlyMap<string, readonly string[]>
} {
  const removed = new Map<string, string[]>()
  return { flow: cleanedFlow(flow, undefined, removed), removed }
}

type Removed = Map<string, string[]>

function cleanedFlow(flow: unknown, top: string | undefined, removed: Removed): unknown {
  if (!isObject(flow)) return flow
  const data = ownObject(flow, 'data')
  return {
    ...flow,
    ...(Array.isArray(flow['nodes']) ? { nodes: cleanedNodes(flow['nodes'], top, removed) } : {}),
    ...(data !== undefined && Array.isArray(data['nodes'])
      ? { data: { ...data, nodes: cleanedNodes(data['nodes'], top, removed) } }
      : {}),
  }
}

function cleanedNodes(
  nodes: readonly unknown[],
  top: string | undefined,
  removed: Removed,
): unknown[] {
  return nodes.map((node) => {
    const data = isObject(node) ? ownObject(node, 'data') : undefined
    const details = data && ownObject(data, 'node')
    if (!isObject(node) || data === undefined || details === undefined) return node
    const id = top ?? String(own(node, 'id'))
    const template = ownObject(details, 'template')
    const cleaned = template && cleanedFields(template, id, removed)
    const inner = own(details, 'flow')
    const changed = {
      ...details,
      ...(cleaned === undefined ? {} : { template: cleaned }),
      ...(isObject(inner) ? { flow: cleanedFlow(inner, id, removed) } : {}),
    }
    return { ...node, data: { ...data, node: changed } }
  })
}

function cleanedFields(template: Json, id: string, removed: Removed): Json {
  const entries = Object.entries(template).map(([name, field]) => {
    if (!isObject(field) || !isSecretField(field) || isVariableName(field)) return [name, field]
    const value = own(field, 'value')
    if (isBlank(value)) return [name, field]
    removed.set(id, [...(removed.get(id) ?? []), name])
    return [name, { ...field, value: Array.isArray(value) ? [] : '' }]
  })
  return Object.fromEntries(entries) as Json
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'string' && value.trim() === ''
}
