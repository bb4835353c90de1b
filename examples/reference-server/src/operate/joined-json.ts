/** The text of an object with the members of two others, which are given as JSON. */
export function joinedJson(one: string, other: string): string {
  if (one === '{}') return other
  return other === '{}' ? one : `${one.slice(0, -1)},${other.slice(1)}`
}
