/** Makes a deep copy in which the keys of every object are in ASCII order. */
export function sortKeys<T>(value: T): T {
  return sorted(value) as T
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
