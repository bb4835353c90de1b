import type { ObjectTable, SlotTable } from '../../catalog/v09/table.ts'
import { isPlainObject } from '../../json.ts'

/** True for a path. */
export function isBound(value: unknown, isTagged: boolean): boolean {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return false
  return typeof (isTagged ? value['@path'] : value.path) === 'string'
}

export function isReference(slot: SlotTable | null): boolean {
  return slot === 'id' || slot === 'children'
}

export function mayHoldComponent(slot: SlotTable | null): boolean {
  if (slot === null || isReference(slot) || slot === 'any' || slot === 'dValue') return true
  return (
    typeof slot === 'object' &&
    ('schema' in slot || ('one' in slot && slot.one.some(mayHoldComponent)))
  )
}

export function itemOf(slot: SlotTable | null): SlotTable | null {
  if (slot === 'children') return 'id'
  if (slot === 'dStrings') return 'dString'
  if (slot === null || typeof slot === 'string') return null
  if ('list' in slot) return slot.list
  return 'one' in slot ? itemOf(slot.one.find((one) => itemOf(one) !== null) ?? null) : null
}

export function objectOf(slot: SlotTable | null): ObjectTable | null {
  if (slot === null || typeof slot === 'string') return null
  if ('object' in slot) return slot.object
  return 'one' in slot ? objectOf(slot.one.find((one) => objectOf(one) !== null) ?? null) : null
}

/** True for the items of a list of choices. */
export function isChoice(slot: SlotTable | null): boolean {
  const table = objectOf(slot)
  return table !== null && 'label' in table.fields && 'value' in table.fields
}

export function takesText(slot: SlotTable | undefined): boolean {
  if (slot === undefined) return false
  if (typeof slot === 'string') return ['string', 'dString', 'any', 'dValue'].includes(slot)
  return (
    'pattern' in slot ||
    'enum' in slot ||
    'schema' in slot ||
    ('one' in slot && slot.one.some(takesText))
  )
}
