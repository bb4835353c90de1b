import type { CatalogCore } from '../catalog/catalog.ts'
import { visitReferences } from '../catalog/references.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from './plan.ts'

/** A component as a surface keeps it. */
export interface Definition {
  readonly id: string
  /** Position in its message. */
  position: number
  readonly type: string
  readonly properties: JsonObject
  readonly weight: number | undefined
  /** Size by SP-89. */
  readonly size: number
  /** Whether a bound value may hold both path and literal. */
  readonly initialises: boolean
  /** The catalog that accepted it. */
  readonly core: CatalogCore | null
  /** Ids it refers to, in order. */
  edges: readonly string[]
  /** Those of them that are repeated by a template. */
  templates: readonly string[]
  /** Made when it is needed. */
  plan: Plan | null
}

/** A list that is shared by all components that refer to nothing. */
export const noIds: readonly string[] = Object.freeze([])

/** Finds what a component that was read refers to. */
export function findEdges(definition: Definition): void {
  const { type, properties, core } = definition
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
