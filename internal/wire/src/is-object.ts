/** True for JSON objects, as opposed to arrays, null and primitives. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
