import type { CatalogCore } from '../catalog/catalog.ts'
import { asChildren, inferReferences } from '../catalog/references.ts'
import type { Shape, Slot } from '../catalog/slot.ts'
import { cloneJson, setOwn, type JsonObject } from '../json.ts'
import type { ComponentInstance } from '../message/messages.ts'
import type { InstanceDraft } from '../message/read-instance.ts'
import type { Plan } from './plan.ts'

/** A component as a surface keeps it. Nothing of it changes but the plan, which is made when needed. */
export interface Definition {
  readonly id: string
  /** Where it stood in its message. */
  readonly position: number
  readonly type: string
  readonly properties: JsonObject
  readonly weight: number | undefined
  readonly size: number
  readonly initialises: boolean
  readonly core: CatalogCore | null
  /** Ids it refers to, in order. */
  readonly edges: readonly string[]
  /** Those of them that are repeated by a template. */
  readonly templates: readonly string[]
  plan: Plan | null
}

const NONE: readonly string[] = Object.freeze([])

/** The stored form of a component that was read. */
export function defineComponent(draft: InstanceDraft): Definition {
  const { index, id, type, properties, weight, size, initialises, core } = draft
  const shape = core?.shape(type) ?? null
  let edges = NONE
  let templates = NONE
  if (shape === null) {
    const found = inferReferences(properties)
    edges = found.map(({ componentId }) => componentId)
    templates = found.filter(({ template }) => template).map(({ componentId }) => componentId)
  } else if (shape.references) {
    const walk: EdgeWalk = { edges: [], templates: [] }
    addShape(shape, properties, walk)
    ;({ edges, templates } = walk)
  }
  return {
    id,
    position: index,
    type,
    properties,
    weight,
    size,
    initialises,
    core,
    edges,
    templates,
    plan: null,
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
