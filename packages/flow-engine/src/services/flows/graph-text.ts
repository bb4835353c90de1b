import { isObject } from '@x/wire'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import { declaredSecrets } from './declared-secrets.ts'

/** True if a node of a stored graph has an id containing `Webhook` (flows.md, patch). */
export function hasWebhookNode(data: string | null): boolean {
  if (data === null || !data.includes('Webhook')) return false
  return nodesOf(JSON.parse(data)).some(
    (node) => isObject(node) && typeof node['id'] === 'string' && node['id'].includes('Webhook'),
  )
}

/** True if a stored graph has a node that accepts webhooks, judging by type or id. */
export function takesWebhooks(data: string | null): boolean {
  if (data === null || !data.includes('Webhook')) return false
  return (
    hasWebhookNode(data) ||
    nodesOf(JSON.parse(data)).some(
      (node) => isObject(node) && isObject(node['data']) && node['data']['type'] === 'Webhook',
    )
  )
}

/**
 * Removes API keys from a stored graph: the value of every password field whose name contains `api` and
 * either `key`, or `token` but not `tokens`, becomes null (flows.md, Download Multiple File). A field that
 * its component declares as a secret needs no mark.
 */
export function withoutApiKeys(
  data: string | null,
  components: Pick<ComponentRegistry, 'resolve'>,
): string | null {
  if (data?.includes('api') !== true) return data
  const graph: unknown = JSON.parse(data)
  const declared = declaredSecrets(graph, components)
  let changed = false
  for (const node of nodesOf(graph)) {
    for (const field of fieldsOf(node)) {
      if (!isApiKey(field, declared) || field['value'] === null) continue
      field['value'] = null
      changed = true
    }
  }
  return changed ? JSON.stringify(graph) : data
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
