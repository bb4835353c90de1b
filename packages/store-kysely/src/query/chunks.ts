/** Splits a list for queries with one parameter per item; both databases support 500. */
export function* chunks<Item>(items: readonly Item[], size = 500): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
