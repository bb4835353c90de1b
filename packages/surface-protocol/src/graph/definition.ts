import type { CatalogCore, CatalogPartsV09 } from '../catalog/catalog.ts'
import { visitReferences } from '../catalog/references.ts'
import { visitReferencesV09 } from '../catalog/v09/walk-v09.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { BoundKind } from '../catalog/slot.ts'
import type { Place } from '../catalog/walk-shape.ts'
import type { DataPath } from '../data/data-path.ts'

/** A bound value of a component. */
export interface BindingPlan {
  readonly place: Place
  readonly kind: BoundKind
  /** Null if there is none or it is invalid. */
  readonly path: DataPath | null
  readonly pathText: string
  /** Undefined if there is none. */
  readonly literal: JsonValue | undefined
  /** A binding or a call of version 0.9.1. */
  readonly dynamic?: DynamicPlan
}

/** Kinds of values of dynamic slots. */
export type DynamicKind = 'dString' | 'dNumber' | 'dBoolean' | 'dStrings' | 'dValue'

/** A dynamic value of version 0.9.1, with the kind of its slot and the paths it reads. */
export interface DynamicPlan {
  readonly value: JsonValue
  readonly kind: DynamicKind
  /** The path of a binding; null for a call. */
  readonly bound: DataPath | null
  readonly paths: readonly DataPath[]
  /** True if it depends on the position of a template's item. */
  readonly usesIndex: boolean
}

/** The children of one reference property. */
export type GroupPlan =
  | { readonly kind: 'one' | 'list'; readonly place: Place; readonly ids: readonly string[] }
  | {
      readonly kind: 'template'
      readonly place: Place
      readonly componentId: string
      readonly binding: DataPath
    }

/** The parts of a component that must be resolved to show it: bound values and children. */
export interface Plan {
  readonly bindings: readonly BindingPlan[]
  readonly groups: readonly GroupPlan[]
}

/** The plan of components with nothing to resolve. */
export const noPlan: Plan = Object.freeze({
  bindings: Object.freeze([]),
  groups: Object.freeze([]),
})

/** A component as stored by a surface. */
export interface Definition {
  readonly id: string
  /** Position in its message. */
  position: number
  readonly type: string
  readonly properties: JsonObject
  /** Members besides the properties, in version 1.0. */
  readonly envelope: ComponentEnvelope | null
  readonly weight: number | undefined
  /** Size as the limits count it. */
  readonly size: number
  /** True if a bound value may have both path and literal. */
  readonly initialises: boolean
  /** The catalog that accepted it; null if not validated yet. */
  core: CatalogCore | null
  /** Ids it refers to, in order. */
  edges: readonly string[]
  /** Those repeated by a template. */
  templates: readonly string[]
  /** Created on first use. */
  plan: Plan | null
}

/** Members of a component that are not properties of its type. */
export interface ComponentEnvelope {
  readonly catalogId?: string
  readonly metadata?: JsonObject
}

/** Shared by all components without references. */
export const noIds: readonly string[] = Object.freeze([])

/** Collects the references of a component that was read. */
export function findEdges(definition: Definition): void {
  const { type, properties, core } = definition
  if (core?.v09 !== undefined) {
    findEdgesV09(definition, core.v09)
    return
  }
  const shape = core?.shape(type) ?? null
  if (shape?.references === false) return
  const edges: string[] = []
  const templates: string[] = []
  visitReferences(shape, properties, (componentId, template) => {
    edges.push(componentId)
    if (template) templates.push(componentId)
  })
  definition.edges = edges
  definition.templates = templates
}

function findEdgesV09(definition: Definition, { components, syntax }: CatalogPartsV09): void {
  const shape = components.get(definition.type)
  if (shape === undefined || shape.linked.length === 0) return
  const edges: string[] = []
  const templates: string[] = []
  const visit = (componentId: string, template: boolean): void => {
    edges.push(componentId)
    if (template) templates.push(componentId)
  }
  visitReferencesV09(shape, definition.properties, { visit, syntax })
  if (edges.length === 0) return
  definition.edges = edges
  definition.templates = templates
}
