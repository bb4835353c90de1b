/** Values are recognised by brand, so that two copies of the package in one process are compatible. */
const BRAND = Symbol.for('@x/flow-engine/value')

export type ValueKind = 'message' | 'data' | 'dataframe'

/** Brands a value. The brand is not enumerable, so `Object.keys` and spreading ignore it. */
export function branded<T extends { readonly kind: ValueKind }>(value: T): T {
  Object.defineProperty(value, BRAND, { value: value.kind })
  return value
}

export function hasBrand(value: unknown, kind: ValueKind): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, BRAND) === kind
}
