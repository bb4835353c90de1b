import { formatPointer, isPlainObject } from '../json.ts'
import type { Shape } from './slot.ts'
import { walkShape, type Place } from './walk-shape.ts'

/** A reference from one component to another. */
export interface ReferenceFound {
  /** JSON Pointer into the property object. */
  readonly path: string
  readonly componentId: string
  /** True if it repeats for each entry of a data binding. */
  readonly template: boolean
}

/** Called with each reference; `place` is only valid during the call. */
type Visit = (componentId: string, template: boolean, place: Place) => void
type Properties = Readonly<Record<string, unknown>>

/**
 * The references in a property object, in order; without a shape found by names and forms.
 */
export function findReferences(shape: Shape | null, properties: Properties): ReferenceFound[] {
  const found: ReferenceFound[] = []
  visitReferences(shape, properties, (componentId, template, place) => {
    found.push({ path: formatPointer(place), componentId, template })
  })
  return found
}

/** Visits the references without collecting them. */
export function visitReferences(shape: Shape | null, properties: Properties, visit: Visit): void {
  if (shape === null) infer(properties, { place: [], visit })
  else if (shape.references) {
    walkShape(shape, properties, (slot, value, place) => {
      if (slot.kind === 'reference') visitId(value, { place, visit })
      else if (slot.kind === 'children') visitList(value, { place, visit })
    })
  }
}

/** The children value of a property, if it has that form. */
export function asChildren(
  value: unknown,
):
  | { readonly list: readonly unknown[] }
  | { readonly componentId: string; readonly dataBinding: string }
  | null {
  if (!isPlainObject(value)) return null
  if (Array.isArray(value.explicitList)) return { list: value.explicitList }
  const { template } = value
  if (!isPlainObject(template)) return null
  const { componentId, dataBinding } = template
  if (typeof componentId !== 'string' || typeof dataBinding !== 'string') return null
  return { componentId, dataBinding }
}

/** Returns whether a property of an undeclared type is a reference, judging by its name. */
export function isReferenceName(name: string | number | undefined): boolean {
  return typeof name === 'string' && (name === 'child' || name.endsWith('Child'))
}

interface Walk {
  readonly place: (string | number)[]
  readonly visit: Visit
}

function below(walk: Walk, key: string | number, step: () => void): void {
  walk.place.push(key)
  step()
  walk.place.pop()
}

function visitId(id: unknown, { visit, place }: Walk): void {
  if (typeof id === 'string') visit(id, false, place)
}

function visitIds(ids: readonly unknown[], walk: Walk): void {
  ids.forEach((id, index) => below(walk, index, () => visitId(id, walk)))
}

function visitList(value: unknown, walk: Walk): void {
  if (!visitChildren(value, walk) && Array.isArray(value)) visitIds(value, walk)
}

function visitChildren(value: unknown, walk: Walk): boolean {
  const children = asChildren(value)
  if (children === null) return false
  if ('list' in children) below(walk, 'explicitList', () => visitIds(children.list, walk))
  else walk.visit(children.componentId, true, [...walk.place, 'template', 'componentId'])
  return true
}

function infer(value: unknown, walk: Walk): void {
  const name = walk.place.at(-1)
  if (typeof value === 'string') {
    if (isReferenceName(name)) visitId(value, walk)
  } else if (Array.isArray(value)) {
    if (name === 'children') visitIds(value, walk)
    value.forEach((item, index) => {
      if (typeof item === 'object') below(walk, index, () => infer(item, walk))
    })
  } else if (isPlainObject(value) && !visitChildren(value, walk)) {
    for (const key of Object.keys(value)) below(walk, key, () => infer(value[key], walk))
  }
}
