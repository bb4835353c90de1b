import type { CatalogCore } from '../catalog/catalog.ts'
import { asChildren, inferReferences } from '../catalog/references.ts'
import type { Shape, Slot } from '../catalog/slot.ts'
import { cloneJson, setOwn, type JsonObject } from '../json.ts'
import type { ComponentInstance } from '../message/messages.ts'
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
  if (shape === null) {
    const found = inferReferences(properties)
    definition.edges = found.map(({ componentId }) => componentId)
    definition.templates = found
      .filter(({ template }) => template)
      .map(({ componentId }) => componentId)
  } else if (shape.references) {
    const walk: EdgeWalk = { edges: [], templates: [] }
    addShape(shape, properties, walk)
    definition.edges = walk.edges
    definition.templates = walk.templates
  }
}

/** The component as a message carries it; a copy. */
export function toInstance(definition: Definition): ComponentInstance {
  const component = {}
  setOwn(component, definition.type, cloneJson(definition.properties))
  const { id, weight } = definition
  return weight === undefined ? { id, component } : { id, component, weight }
}

interface EdgeWalk {
  readonly edges: string[]
  readonly templates: string[]
}

/** The same order as `collectReferences`, without the places: this runs for every component. */
function addShape(shape: Shape, value: Readonly<Record<string, unknown>>, walk: EdgeWalk): void {
  for (const [name, { slot }] of shape.fields) {
    const member = value[name]
    if (member !== undefined && Object.hasOwn(value, name)) addSlot(slot, member, walk)
  }
}

function addSlot(slot: Slot, value: unknown, walk: EdgeWalk): void {
  if (slot.kind === 'reference') {
    if (typeof value === 'string') walk.edges.push(value)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (slot.kind === 'children') addChildren(value, walk)
  else if (slot.kind === 'list') {
    if (Array.isArray(value)) for (const item of value) addSlot(slot.item, item, walk)
  } else if (slot.kind === 'object' && slot.shape.references && !Array.isArray(value)) {
    addShape(slot.shape, value as Record<string, unknown>, walk)
  }
}

function addChildren(value: object, { edges, templates }: EdgeWalk): void {
  const children = Array.isArray(value) ? { list: value as unknown[] } : asChildren(value)
  if (children === null) return
  if ('list' in children) {
    for (const id of children.list) if (typeof id === 'string') edges.push(id)
  } else {
    edges.push(children.componentId)
    templates.push(children.componentId)
  }
}
