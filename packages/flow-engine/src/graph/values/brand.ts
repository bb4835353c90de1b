/** Values are recognised by brand, so that two copies of the package in one process understand each other. */
const BRAND = Symbol.for('@x/flow-engine/value')

export type ValueKind = 'message' | 'data' | 'dataframe'

/** Marks a value; the mark is invisible to `Object.keys`, spread keeps it off copies. */
export function branded<T extends { readonly kind: ValueKind }>(value: T): T {
  Object.defineProperty(value, BRAND, { value: value.kind })
  return value
}

export function hasBrand(value: unknown, kind: ValueKind): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, BRAND) === kind
}
