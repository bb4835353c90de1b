import type { ValueSyntax } from '../../functions/value-syntax.ts'
import { matchesProperty } from './matches-property.ts'
import type { ShapeV09, SlotV09 } from './shape.ts'
import type { Place } from '../walk-shape.ts'
import { formatPointer, isPlainObject, type JsonValue } from '../../json.ts'
import type { ReferenceFound } from '../references.ts'

/** Called with each non-container value of a live slot; `place` is reused after the call. */
type VisitSlot = (slot: SlotV09, value: JsonValue, place: (string | number)[]) => void

const ANY: SlotV09 = { kind: 'any' }

/** Visits the values of a component that can refer to components or data, in shape order. */
export function walkV09(shape: ShapeV09, properties: Properties, walk: Walk): void {
  walkEntries(shape.live, properties, walk)
}

type Properties = Readonly<Record<string, unknown>>

interface Walk {
  readonly visit: VisitSlot
  readonly syntax: ValueSyntax
  readonly place: (string | number)[]
}

function walkEntries(entries: ShapeV09['live'], properties: Properties, walk: Walk): void {
  const { place } = walk
  for (const [name, slot] of entries) {
    const value = properties[name]
    if (value === undefined || !Object.hasOwn(properties, name)) continue
    place.push(name)
    walkSlot(slot, value as JsonValue, walk)
    place.pop()
  }
}

function walkSlot(slot: SlotV09, value: JsonValue, walk: Walk): void {
  const { place, syntax, visit } = walk
  if (slot.kind === 'object') {
    if (slot.shape.fields.size === 0) visit(ANY, value, place)
    else if (isPlainObject(value)) walkV09(slot.shape, value, walk)
  } else if (slot.kind === 'list') {
    if (!Array.isArray(value)) return
    value.forEach((item, index) => {
      place.push(index)
      walkSlot(slot.item, item, walk)
      place.pop()
    })
  } else if (slot.kind === 'one') {
    const fitting = slot.slots.find((one) => matchesProperty(value, one, syntax))
    if (fitting !== undefined) walkSlot(fitting, value, walk)
  } else visit(slot, value, place)
}

/** Called with each reference; `last` follows `place`, which is reused after the call. */
type VisitReference = (
  componentId: string,
  template: boolean,
  place: Place,
  last: string | number | null,
) => void

/** Visits the references of a component, in order. */
export function visitReferencesV09(
  shape: ShapeV09,
  properties: Properties,
  { visit, syntax }: { visit: VisitReference; syntax: ValueSyntax },
): void {
  if (shape.linked.length === 0) return
  const visitSlot: VisitSlot = (slot, value, place) => {
    if (slot.kind === 'id') {
      if (typeof value === 'string') visit(value, false, place, null)
    } else if (slot.kind !== 'children') return
    else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        const id = value[index]
        if (typeof id === 'string') visit(id, false, place, index)
      }
    } else if (isPlainObject(value) && typeof value.componentId === 'string') {
      visit(value.componentId, true, place, 'componentId')
    }
  }
  walkEntries(shape.linked, properties, { visit: visitSlot, syntax, place: [] })
}

/** The references of a component, in order. */
export function findReferencesV09(
  shape: ShapeV09,
  properties: Readonly<Record<string, unknown>>,
  syntax: ValueSyntax,
): ReferenceFound[] {
  const found: ReferenceFound[] = []
  const visit: VisitReference = (componentId, template, place, last) => {
    const path = formatPointer(last === null ? place : [...place, last])
    found.push({ path, componentId, template })
  }
  visitReferencesV09(shape, properties, { visit, syntax })
  return found
}
