import { isObject, own, ownObject, ownText, type PlainObject } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import { findGraph } from '@x/flow-engine/internal'
import type { FlowNode } from '@x/flow-engine'

/**
 * The template fields of a stored graph that their components declare as secrets, whatever their marks and
 * names: an imported or hand-written graph may have neither. Includes groups and their inner nodes.
 */
export function declaredSecrets(
  graph: unknown,
  components: Pick<ComponentRegistry, 'resolve'>,
): ReadonlySet<object> {
  const found = new Set<object>()
  for (const node of findGraph(graph)?.nodes ?? []) secretNames(node, components, found)
  return found
}

/** Collects the secret fields of a node; returns their names. */
function secretNames(
  node: unknown,
  components: Pick<ComponentRegistry, 'resolve'>,
  found: Set<object>,
): ReadonlySet<string> {
  const names = new Set<string>()
  const data = isObject(node) ? ownObject(node, 'data') : undefined
  const details = data === undefined ? undefined : ownObject(data, 'node')
  if (data === undefined || details === undefined) return names
  const template = ownObject(details, 'template') ?? {}
  const inner = new Map<string, ReadonlySet<string>>()
  for (const each of findGraph(own(details, 'flow'))?.nodes ?? []) {
    const id = isObject(each) ? ownText(each, 'id') : undefined
    const secrets = secretNames(each, components, found)
    if (id !== undefined) inner.set(id, secrets)
  }
  const inputs = ownText(data, 'type') === undefined ? {} : inputsOf(node, components)
  for (const name of Object.keys(template)) {
    const field = ownObject(template, name)
    if (field === undefined) continue
    const isDeclared = Object.hasOwn(inputs, name) && inputs[name]?.fieldKind === 'secret'
    if (!isDeclared && !setsSecret(field, inner)) continue
    names.add(name)
    found.add(field)
  }
  return names
}

/** The declared fields of a node with a type. */
function inputsOf(node: unknown, components: Pick<ComponentRegistry, 'resolve'>) {
  return components.resolve(node as FlowNode)?.inputs ?? {}
}

/** True for the field of a group that sets a secret field inside it. */
function setsSecret(field: PlainObject, inner: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const proxy = ownObject(field, 'proxy')
  if (proxy === undefined) return false
  return inner.get(ownText(proxy, 'id') ?? '')?.has(ownText(proxy, 'field') ?? '') === true
}
