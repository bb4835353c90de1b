import { compareCodePoints } from '../resource/fold.ts'
import type { CompareOperator, SortKey } from './resolved.ts'

/** Compares two texts that are folded where they have to be. */
export function compareText(text: string, operator: CompareOperator, literal: string): boolean {
  switch (operator) {
    case 'eq':
      return text === literal
    case 'ne':
      return text !== literal
    case 'co':
      return text.includes(literal)
    case 'sw':
      return text.startsWith(literal)
    case 'ew':
      return text.endsWith(literal)
    case 'gt':
      return compareCodePoints(text, literal) > 0
    case 'ge':
      return compareCodePoints(text, literal) >= 0
    case 'lt':
      return compareCodePoints(text, literal) < 0
    case 'le':
      return compareCodePoints(text, literal) <= 0
  }
}

/** Orders two sort keys of one path, those that are null last: -1, 0 or 1. */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  return a === b ? 0 : a < b ? -1 : 1
}
