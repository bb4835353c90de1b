import { ScimError } from '../base/errors.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'

/** Filters with up to this many terms are always evaluated. */
const FEW_TERMS = 8

/**
 * Rejects filters with many unindexed terms over many resources, because evaluating them would block all
 * other requests (abuse.md AB-89).
 * @param count number of resources
 * @throws ScimError tooMany
 */
export async function checkFilterWork(
  filter: ResolvedFilter,
  most: number,
  count: () => Promise<number>,
): Promise<void> {
  if (scanningTerms(filter) * (await count()) <= most) return
  throw new ScimError(
    'too_many',
    `The filter would compare more than ${most} values. Use fewer terms, or eq.`,
  )
}

/** True if a filter has so many unindexed terms that the number of resources matters. */
export function isFilterWork(filter: ResolvedFilter): boolean {
  return scanningTerms(filter) > FEW_TERMS
}

/** Comparisons other than `eq` and `sw`, which can use indexes. */
function scanningTerms(filter: ResolvedFilter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.reduce((sum, term) => sum + scanningTerms(term), 0)
    case 'not':
      return scanningTerms(filter.term)
    case 'element':
      return scanningTerms(filter.where)
    case 'compare':
      return filter.operator === 'eq' || filter.operator === 'sw' ? 0 : 1
    default:
      return 0
  }
}
