import { compareCodePoints } from '../base/fold.ts'
import type { CompareOperator, SortKey } from './resolved.ts'

/** Compares a string, folded if necessary, with a literal. */
export function textTest(operator: CompareOperator, literal: string): (text: string) => boolean {
  switch (operator) {
    case 'eq':
      return (text) => text === literal
    case 'ne':
      return (text) => text !== literal
    case 'co':
      return (text) => text.includes(literal)
    case 'sw':
      return (text) => text.startsWith(literal)
    case 'ew':
      return (text) => text.endsWith(literal)
    case 'gt':
      return (text) => compareCodePoints(text, literal) > 0
    case 'ge':
      return (text) => compareCodePoints(text, literal) >= 0
    case 'lt':
      return (text) => compareCodePoints(text, literal) < 0
    case 'le':
      return (text) => compareCodePoints(text, literal) <= 0
  }
}

/** Compares two sort keys of one path, null last: -1, 0 or 1. */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  return a === b ? 0 : a < b ? -1 : 1
}
