/**
 * Adds items to the end of a list. Passing the items of a list as arguments of `push` throws a RangeError from
 * about 120,000 items on, because arguments are on the stack.
 */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item)
}
