/** Adds an entry to a map as the most recent one; over `limit` entries, the least recent is removed. */
export function setLru<K, V>(map: Map<K, V>, key: K, value: V, limit: number): V {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > limit && oldest !== undefined) map.delete(oldest)
  return value
}
