/** Returns whether two JSON values are equal, regardless of the order of object members. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return isEqualList(a, b)
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && isEqual(Reflect.get(a, name), Reflect.get(b, name)),
    )
  )
}

function isEqualList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  const other: readonly unknown[] = b
  return a.every((element, index) => isEqual(element, other[index]))
}
