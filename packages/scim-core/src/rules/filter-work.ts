import { ScimError } from '../base/errors.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'

/** So many terms over any number of resources are always computed. */
const FEW_TERMS = 8

/**
 * Refuses a filter of many terms that no index answers over many resources: they are compared one by one,
 * and all other requests wait (abuse.md AB-89).
 * @param count how many resources there are; asked for only when the terms are many
 * @throws ScimError tooMany
 */
export async function checkFilterWork(
  filter: ResolvedFilter,
  most: number,
  count: () => Promise<number>,
): Promise<void> {
  const terms = scanningTerms(filter)
  if (terms <= FEW_TERMS || terms * (await count()) <= most) return
  throw new ScimError(
    'too_many',
    `The filter would compare more than ${most} values. Use fewer terms, or eq.`,
  )
}

/** Comparisons other than `eq` and `sw`, which indexes answer. */
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
