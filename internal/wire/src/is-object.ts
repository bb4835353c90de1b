/** True for JSON objects, as opposed to arrays, null and primitives. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for an object literal, a parsed object, or one that inherits nothing; false for arrays and instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // The Object.prototype of another realm has no prototype either.
  return Object.getPrototypeOf(prototype) === null
}
