import type { Catalog } from '../catalog/catalog.ts'
import { standardCatalogV08, type StandardTypes } from '../catalog/standard.ts'
import { basicCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { isPlainObject, setOwn } from '../json.ts'
import type { UiNode, UiProperties } from './nodes.ts'

type TypesOf<C> = C extends Catalog<infer Types> ? Types : never

/** A factory for each type of a catalog. */
export type Ui<C> =
  object extends TypesOf<C>
    ? Readonly<Record<string, (properties: Readonly<Record<string, unknown>>) => UiNode>>
    : {
        readonly [Name in keyof TypesOf<C>]: (properties: UiProperties<TypesOf<C>[Name]>) => UiNode
      }

/** A factory for each type, with properties unknown to the compiler. */
export type UiOf<C> = {
  readonly [Name in keyof TypesOf<C>]: (properties: Readonly<Record<string, unknown>>) => UiNode
}

/** The parts of a node. */
export interface NodeParts {
  readonly catalog: Catalog
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly id: string | undefined
  readonly weight: number | undefined
}

const parts = new WeakMap<UiNode, NodeParts>()

/** The parts of a node; null for other values. */
export function nodeParts(value: unknown): NodeParts | null {
  return typeof value === 'object' && value !== null ? (parts.get(value as UiNode) ?? null) : null
}

/** Creates factories for the types of a catalog. */
export function createUi<C extends Catalog>(catalog: C): Ui<C> {
  const factories = {}
  for (const type of catalog.types) {
    setOwn(factories, type, (properties: unknown) =>
      createNode({
        catalog,
        type,
        properties: isPlainObject(properties) ? { ...properties } : {},
        id: undefined,
        weight: undefined,
      }),
    )
  }
  return Object.freeze(factories) as Ui<C>
}

function createNode(made: NodeParts): UiNode {
  const node: UiNode = Object.freeze<UiNode>({
    kind: 'node',
    type: made.type,
    id: (id) => createNode({ ...made, id }),
    weight: (weight) => createNode({ ...made, weight }),
    set: (properties) => createNode({ ...made, properties: { ...made.properties, ...properties } }),
  })
  parts.set(node, made)
  return node
}

/** Factories for the types of the basic catalog of version 0.9.1. */
export const uiV09: UiOf<typeof basicCatalogV09> = createUi<Catalog>(basicCatalogV09) as UiOf<
  typeof basicCatalogV09
>

/** Factories for the types of the standard catalog. */
export const ui: Ui<Catalog<StandardTypes>> = createUi(standardCatalogV08)
