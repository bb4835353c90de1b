/** Parts of a list, for queries with a parameter for each item; both databases take 500. */
export function* chunks<Item>(items: readonly Item[], size = 500): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
