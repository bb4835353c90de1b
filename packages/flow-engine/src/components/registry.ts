import { catalogueJson, type CatalogueJson } from './catalogue.ts'
import type { Component } from './component.ts'
import type { FlowNode } from './node-json.ts'

/** The components a flow may use. */
export interface ComponentRegistry extends Iterable<Component> {
  /** By type or alias. */
  get(type: string): Component | undefined
  /** FE-42: by `data.type`, then `metadata.module`, then alias, else the host's `resolveUnknown`. */
  resolve(node: FlowNode): Component | undefined
  /** A registry with further components; a later one replaces an earlier one of the same type. */
  extend(components: Iterable<Component>): ComponentRegistry
  catalogue(): CatalogueJson
}

export interface RegistryOptions {
  /** Asked for a node that no component fits. */
  resolveUnknown?(node: FlowNode): Component | undefined
}

/** A later component replaces an earlier one of the same type, in its place. */
export function createRegistry(
  components: Iterable<Component>,
  options: RegistryOptions = {},
): ComponentRegistry {
  const byType = new Map<string, Component>()
  for (const component of components) byType.set(component.type, component)
  const byModule = new Map<string, Component>()
  const byAlias = new Map<string, Component>()
  for (const component of byType.values()) {
    if (component.module !== undefined) byModule.set(component.module, component)
    for (const alias of component.aliases ?? []) byAlias.set(alias, component)
  }
  let catalogue: CatalogueJson | undefined

  return {
    get: (type) => byType.get(type) ?? byAlias.get(type),
    resolve(node) {
      const { type, node: details } = node.data
      const module = details?.metadata?.module
      return (
        byType.get(type) ??
        (typeof module === 'string' ? byModule.get(module) : undefined) ??
        byAlias.get(type) ??
        options.resolveUnknown?.(node)
      )
    },
    extend: (more) => createRegistry([...byType.values(), ...more], options),
    catalogue: () => (catalogue ??= catalogueJson(byType.values())),
    [Symbol.iterator]: () => byType.values(),
  }
}
