import { fitsSlot } from './fits-slot.ts'
import type { ShapeV09, SlotV09 } from './shape.ts'
import type { Place } from '../walk-shape.ts'
import { formatPointer, isPlainObject, type JsonValue } from '../../json.ts'
import type { ReferenceFound } from '../references.ts'

/** Hears of a value that a live slot takes, neither a list nor an object; `place` changes after the call. */
type VisitSlot = (slot: SlotV09, value: JsonValue, place: (string | number)[]) => void

/** Visits the values of a component that can refer to components or to data, in the order of its shape. */
export function walkV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
  visit: VisitSlot,
  place: (string | number)[] = [],
): void {
  for (const [name, slot] of shape.live) {
    const value = properties[name]
    if (value === undefined || !Object.hasOwn(properties, name)) continue
    walkSlot(slot, value as JsonValue, { place, visit, key: name })
  }
}

interface Step {
  readonly place: (string | number)[]
  readonly visit: VisitSlot
  readonly key: string | number
}

function walkSlot(slot: SlotV09, value: JsonValue, { place, visit, key }: Step): void {
  place.push(key)
  if (slot.kind === 'object') {
    if (isPlainObject(value)) walkV09(slot.shape, value, visit, place)
  } else if (slot.kind === 'list') {
    if (Array.isArray(value)) {
      value.forEach((item, index) => walkSlot(slot.item, item, { place, visit, key: index }))
    }
  } else if (slot.kind === 'one') {
    const fitting = slot.slots.find((one) => fitsSlot(value, one))
    place.pop()
    if (fitting !== undefined) walkSlot(fitting, value, { place, visit, key })
    place.push(key)
  } else visit(slot, value, place)
  place.pop()
}

/** Visits the references of a component, in order. */
export function visitReferencesV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
  visit: (componentId: string, template: boolean, place: Place) => void,
): void {
  walkV09(shape, properties, (slot, value, place) => {
    if (slot.kind === 'id') {
      if (typeof value === 'string') visit(value, false, place)
    } else if (slot.kind !== 'children') return
    else if (Array.isArray(value)) {
      value.forEach((id, index) => {
        if (typeof id === 'string') visit(id, false, [...place, index])
      })
    } else if (isPlainObject(value) && typeof value.componentId === 'string') {
      visit(value.componentId, true, [...place, 'componentId'])
    }
  })
}

/** The references of a component, in order. */
export function findReferencesV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
): ReferenceFound[] {
  const found: ReferenceFound[] = []
  visitReferencesV09(shape, properties, (componentId, template, place) => {
    found.push({ path: formatPointer(place), componentId, template })
  })
  return found
}
