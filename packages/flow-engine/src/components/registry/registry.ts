import { catalogueJson, type CatalogueJson } from './catalogue.ts'
import type { Component } from '../define/component.ts'
import type { FlowNode } from '../../graph/flow/node-json.ts'
import { typeNames, typesOf, type TypeNames } from './resolve-type.ts'
import { typeTable } from './type-table.ts'

/** The components available to flows. */
export interface ComponentRegistry extends Iterable<Component> {
  /** Finds a component by type or alias. */
  get(type: string): Component | undefined
  /**
   * Finds the component of a node from a file of any version: by `data.type`, by the parts of an
   * extension id, by `metadata.module`, by class or former name, by import path, and finally with the host's
   * `resolveUnknown`.
   */
  resolve(node: FlowNode): Component | undefined
  /** Explains why a node has no component, if the type table knows. */
  whyUnknown(node: FlowNode): string | undefined
  /** Returns a registry with additional components, which replace existing ones of the same type. */
  extend(components: Iterable<Component>): ComponentRegistry
  catalogue(): CatalogueJson
}

export interface RegistryOptions {
  /**
   * Additional type names, which take precedence over the built-in table: maps `data.type`,
   * `bundle:Class` of an extension id, a class or a module path to a type.
   */
  readonly migrations?: Readonly<Record<string, string>>
  /** Called for a node without a matching component. */
  resolveUnknown?(node: FlowNode): Component | undefined
}

/** Creates a registry. A later component replaces an earlier one of the same type, keeping its position. */
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
  const migrations = new Map(Object.entries(options.migrations ?? {}))
  let catalogue: CatalogueJson | undefined

  /** `Calculator (szU1S)`: the editor's name of a copy; the part before the brackets counts. */
  const byPlainName = ({ data }: FlowNode): Component | undefined => {
    const [, plain] = /^(.{1,200}?) ?\([^()]{1,200}\)$/.exec(data.type) ?? []
    if (plain === undefined) return undefined
    const type = plain.trim()
    return byType.get(type) ?? byName(typeNames({ id: '', data: { ...data, type } }))
  }

  const byName = (names: TypeNames): Component | undefined => {
    for (const name of [names.ext, names.module, names.type, names.lastPart]) {
      const target = name === undefined ? undefined : migrations.get(name)
      const component = target === undefined ? undefined : byType.get(target)
      if (component !== undefined) return component
    }
    const own = names.module === undefined ? undefined : byModule.get(names.module)
    if (own !== undefined) return own
    for (const target of typesOf(names, typeTable)) {
      const component = byType.get(target) ?? byAlias.get(target)
      if (component !== undefined) return component
    }
    return byAlias.get(names.type)
  }

  return {
    get: (type) => byType.get(type) ?? byAlias.get(type),
    resolve: (node) =>
      byType.get(node.data.type) ??
      byName(typeNames(node)) ??
      options.resolveUnknown?.(node) ??
      byPlainName(node),
    whyUnknown(node) {
      const names = typeNames(node)
      const types = [names.type, ...typesOf(names, typeTable)]
      return types.map((type) => typeTable.reasons.get(type)).find((why) => why !== undefined)
    },
    extend: (more) => createRegistry([...byType.values(), ...more], options),
    catalogue: () => (catalogue ??= catalogueJson(byType.values())),
    [Symbol.iterator]: () => byType.values(),
  }
}
