import type { ValueSyntax } from '../../functions/value-syntax.ts'
import { fitsSlot } from './fits-slot.ts'
import type { ShapeV09, SlotV09 } from './shape.ts'
import type { Place } from '../walk-shape.ts'
import { formatPointer, isPlainObject, type JsonValue } from '../../json.ts'
import type { ReferenceFound } from '../references.ts'

/** Hears of a value that a live slot takes, neither a list nor an object; `place` changes after the call. */
type VisitSlot = (slot: SlotV09, value: JsonValue, place: (string | number)[]) => void

const ANY: SlotV09 = { kind: 'any' }

/** Visits the values of a component that can refer to components or to data, in the order of its shape. */
export function walkV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
  { visit, syntax, place = [] }: Walk,
): void {
  for (const [name, slot] of shape.live) {
    const value = properties[name]
    if (value === undefined || !Object.hasOwn(properties, name)) continue
    walkSlot(slot, value as JsonValue, { place, visit, syntax, key: name })
  }
}

interface Walk {
  readonly visit: VisitSlot
  readonly syntax: ValueSyntax
  readonly place?: (string | number)[]
}

interface Step extends Required<Walk> {
  readonly key: string | number
}

function walkSlot(slot: SlotV09, value: JsonValue, step: Step): void {
  const { place, syntax, key } = step
  place.push(key)
  if (slot.kind === 'object') {
    if (slot.shape.fields.size === 0) step.visit(ANY, value, place)
    else if (isPlainObject(value)) walkV09(slot.shape, value, step)
  } else if (slot.kind === 'list') {
    if (Array.isArray(value)) {
      value.forEach((item, index) => walkSlot(slot.item, item, { ...step, key: index }))
    }
  } else if (slot.kind === 'one') {
    const fitting = slot.slots.find((one) => fitsSlot(value, one, syntax))
    place.pop()
    if (fitting !== undefined) walkSlot(fitting, value, step)
    place.push(key)
  } else step.visit(slot, value, place)
  place.pop()
}

/** Visits the references of a component, in order. */
export function visitReferencesV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
  { visit, syntax }: { visit: VisitReference; syntax: ValueSyntax },
): void {
  const visitSlot: VisitSlot = (slot, value, place) => {
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
  }
  walkV09(shape, properties, { visit: visitSlot, syntax })
}

type VisitReference = (componentId: string, template: boolean, place: Place) => void

/** The references of a component, in order. */
export function findReferencesV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
  syntax: ValueSyntax,
): ReferenceFound[] {
  const found: ReferenceFound[] = []
  const visit: VisitReference = (componentId, template, place) => {
    found.push({ path: formatPointer(place), componentId, template })
  }
  visitReferencesV09(shape, properties, { visit, syntax })
  return found
}
