import { isObject } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import { createWorkBudget } from '@x/wire'
import { changeGraph, parseGraph } from './change-graph.ts'
import { declaredSecrets } from './declared-secrets.ts'

/** The webhooks of a stored graph. */
export interface Webhooks {
  /** It has a node with an id containing `Webhook`. */
  readonly hasNode: boolean
  /** It has a node that accepts webhooks, judging by type or id. */
  readonly areTaken: boolean
}

const NO_WEBHOOKS: Webhooks = { hasNode: false, areTaken: false }

/** Looks for webhooks in a stored graph. */
export async function findWebhooks(data: string | null): Promise<Webhooks> {
  if (data?.includes('Webhook') !== true) return NO_WEBHOOKS
  const nodes = nodesOf(await parseGraph(data)).filter(isObject)
  const hasNode = nodes.some(({ id }) => typeof id === 'string' && id.includes('Webhook'))
  const isTyped = ({ data: inner }: Record<string, unknown>): boolean =>
    isObject(inner) && inner['type'] === 'Webhook'
  return { hasNode, areTaken: hasNode || nodes.some(isTyped) }
}

/**
 * Removes API keys from a stored graph: the value of every password field whose name contains `api` and
 * either `key`, or `token` but not `tokens`, becomes null. A field that
 * its component declares as a secret needs no mark.
 */
export async function withoutApiKeys(
  data: string | null,
  components: Pick<ComponentRegistry, 'resolve'>,
): Promise<string | null> {
  if (data?.includes('api') !== true) return data
  return await changeGraph(data, function* (graph) {
    const declared = declaredSecrets(graph, components)
    const step = createWorkBudget()
    let changed = false
    for (const node of nodesOf(graph)) {
      const fields = fieldsOf(node)
      if (step(1 + fields.length)) yield
      for (const field of fields) {
        if (!isApiKey(field, declared) || field['value'] === null) continue
        field['value'] = null
        changed = true
      }
    }
    return changed ? graph : undefined
  })
}

function nodesOf(graph: unknown): readonly unknown[] {
  return isObject(graph) && Array.isArray(graph['nodes']) ? graph['nodes'] : []
}

function fieldsOf(node: unknown): Record<string, unknown>[] {
  const data = isObject(node) ? node['data'] : undefined
  const details = isObject(data) ? data['node'] : undefined
  const template = isObject(details) ? details['template'] : undefined
  const inner = isObject(details) && isObject(details['flow']) ? details['flow']['data'] : undefined
  return [
    ...(isObject(template) ? Object.values(template).filter(isObject) : []),
    ...nodesOf(inner).flatMap(fieldsOf),
  ]
}

function isApiKey(field: Record<string, unknown>, declared: ReadonlySet<object>): boolean {
  const { password, name } = field
  const isSecret = isTruthy(password) || declared.has(field)
  if (!isSecret || typeof name !== 'string' || !name.includes('api')) return false
  return name.includes('key') || (name.includes('token') && !name.includes('tokens'))
}

function isTruthy(value: unknown): boolean {
  return Boolean(value)
}
