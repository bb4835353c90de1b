import { isPlainObject } from '../json.ts'
import type { Shape, Slot } from './slot.ts'

/** A position in a property object. */
export type Place = readonly (string | number)[]

/** Called with each non-container value of a slot; `place` is reused after the call. */
type VisitSlot = (slot: Slot, value: unknown, place: (string | number)[]) => void

/** Visits the values of a property object in shape order. */
export function walkShape(
  shape: Shape,
  value: Readonly<Record<string, unknown>>,
  visit: VisitSlot,
  place: (string | number)[] = [],
): void {
  for (const [name, { slot }] of shape.fields) {
    if (Object.hasOwn(value, name) && value[name] !== undefined) walkSlot(slot, value[name], name)
  }

  function walkSlot(slot: Slot, member: unknown, key: string | number): void {
    place.push(key)
    if (slot.kind === 'object') {
      if (isPlainObject(member)) walkShape(slot.shape, member, visit, place)
    } else if (slot.kind === 'list') {
      if (Array.isArray(member)) member.forEach((item, at) => walkSlot(slot.item, item, at))
    } else visit(slot, member, place)
    place.pop()
  }
}
