import { formatPointer, isPlainObject } from '../json.ts'
import type { Shape, Slot } from './slot.ts'

/** One reference of a component to another. */
export interface ReferenceFound {
  /** JSON Pointer into the property object. */
  readonly path: string
  readonly componentId: string
  /** Whether it is repeated for each entry of a data binding. */
  readonly template: boolean
}

type Place = readonly (string | number)[]
type Visit = (componentId: string, template: boolean, place: Place) => void

/** The references of a property object at the places its shape names (SP-17). */
export function collectReferences(
  shape: Shape,
  properties: Readonly<Record<string, unknown>>,
): ReferenceFound[] {
  return collect((visit) => visitShape(shape, properties, { place: [], visit }))
}

/** The references of a property object whose type says nothing about them (SP-53). */
export function inferReferences(properties: Readonly<Record<string, unknown>>): ReferenceFound[] {
  return collect((visit) => inferIn(properties, [], visit))
}

/** The children value of a property, where it has the form of one. */
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

/** Whether a property of an undeclared type is a single reference by its name. */
export function isReferenceName(name: string | number | undefined): boolean {
  return typeof name === 'string' && (name === 'child' || name.endsWith('Child'))
}

function collect(walk: (visit: Visit) => void): ReferenceFound[] {
  const found: ReferenceFound[] = []
  walk((componentId, template, place) => {
    found.push({ path: formatPointer(place), componentId, template })
  })
  return found
}

interface Walk {
  readonly place: Place
  readonly visit: Visit
}

function visitShape(shape: Shape, value: Readonly<Record<string, unknown>>, walk: Walk): void {
  if (!shape.references) return
  for (const [name, { slot }] of shape.fields) {
    if (Object.hasOwn(value, name)) {
      visitSlot(slot, value[name], { ...walk, place: [...walk.place, name] })
    }
  }
}

function visitSlot(slot: Slot, value: unknown, walk: Walk): void {
  switch (slot.kind) {
    case 'reference':
      if (typeof value === 'string') walk.visit(value, false, walk.place)
      break
    case 'children':
      visitChildren(value, walk.place, walk.visit)
      break
    case 'object':
      if (isPlainObject(value)) visitShape(slot.shape, value, walk)
      break
    case 'list':
      if (Array.isArray(value)) {
        value.forEach((item, index) =>
          visitSlot(slot.item, item, { ...walk, place: [...walk.place, index] }),
        )
      }
      break
    default:
  }
}

function visitChildren(value: unknown, place: Place, visit: Visit): boolean {
  const children = asChildren(value)
  if (children === null) {
    if (Array.isArray(value)) visitIds(value, place, visit)
    return false
  }
  if ('list' in children) visitIds(children.list, [...place, 'explicitList'], visit)
  else visit(children.componentId, true, [...place, 'template', 'componentId'])
  return true
}

function visitIds(ids: readonly unknown[], place: Place, visit: Visit): void {
  ids.forEach((id, index) => {
    if (typeof id === 'string') visit(id, false, [...place, index])
  })
}

function inferIn(value: unknown, place: Place, visit: Visit): void {
  const name = place.at(-1)
  if (typeof value === 'string') {
    if (isReferenceName(name)) visit(value, false, place)
    return
  }
  if (Array.isArray(value)) {
    if (name === 'children') visitIds(value, place, visit)
    value.forEach((item, index) => {
      if (typeof item === 'object') inferIn(item, [...place, index], visit)
    })
    return
  }
  if (!isPlainObject(value) || visitChildren(value, place, visit)) return
  for (const key of Object.keys(value)) inferIn(value[key], [...place, key], visit)
}
