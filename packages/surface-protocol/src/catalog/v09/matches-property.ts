import type { ValueSyntax } from '../../functions/value-syntax.ts'
import { isPlainObject } from '../../json.ts'
import type { SlotV09 } from './shape.ts'

/** Returns whether a value has the form of a slot, judging by its type alone. */
export function matchesProperty(value: unknown, slot: SlotV09, syntax: ValueSyntax): boolean {
  switch (slot.kind) {
    case 'enum':
      return slot.values.has(value)
    case 'string':
    case 'id':
    case 'pattern':
      return typeof value === 'string'
    case 'number':
    case 'integer':
    case 'range':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'binding':
      return syntax.pathOf(value) !== undefined
    case 'call':
      return syntax.callOf(value) !== undefined
    case 'object':
      return (
        isPlainObject(value) &&
        slot.shape.required.every((name) => value[name] !== undefined) &&
        (slot.shape.open || Object.keys(value).every((name) => slot.shape.fields.has(name)))
      )
    default:
      return true
  }
}
