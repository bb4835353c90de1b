import type { SurfaceDiagnostic } from './errors.ts'
import { ownValue } from '../json.ts'

/**
 * Sorts findings in the order of the message: a value before its members, and missing members after
 * the existing ones.
 */
export function inDocumentOrder(
  found: readonly SurfaceDiagnostic[],
  message: unknown,
): SurfaceDiagnostic[] {
  const positions = new Map<object, ReadonlyMap<string, number>>()
  /** The positions of an object's keys or an array's items. */
  const positionsIn = (container: object): ReadonlyMap<string, number> => {
    const known = positions.get(container)
    if (known !== undefined) return known
    const made = new Map(Object.keys(container).map((key, index) => [key, index]))
    positions.set(container, made)
    return made
  }
  const trailOf = (path: string): number[] => {
    let value = message
    return path
      .split('/')
      .slice(1)
      .map((part) => {
        if (typeof value !== 'object' || value === null) return 0
        const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
        const inside = positionsIn(value)
        value = ownValue(value, key)
        return inside.get(key) ?? inside.size
      })
  }
  return sortByTrail(found, ({ path }) => trailOf(path))
}

/** Sorts positions below a common root; a position comes before those inside it. */
export function sortByTrail<T>(items: readonly T[], trailOf: (item: T) => readonly number[]): T[] {
  return items
    .map((item) => ({ item, trail: trailOf(item) }))
    .toSorted((a, b) => compareTrails(a.trail, b.trail))
    .map(({ item }) => item)
}

function compareTrails(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
