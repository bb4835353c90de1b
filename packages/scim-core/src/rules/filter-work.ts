import { ScimError } from '../base/errors.ts'
import type { CompareOperator, ResolvedFilter } from '../filter/resolved.ts'

/** Filters with up to this many terms are always evaluated. */
const FEW_TERMS = 8

/**
 * Rejects filters with many unindexed terms over many resources, because evaluating them would block all
 * other requests.
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

/**
 * Rejects filters whose comparisons with members of groups, or groups of users, would read too many
 * memberships. Every comparison except of an id with `eq` or `sw` reads all memberships of the tenant.
 * @param count memberships of the tenant, counted up to a limit
 * @throws ScimError tooMany
 */
export async function checkMembershipWork(
  filter: ResolvedFilter,
  most: number,
  count: (limit: number) => Promise<number>,
): Promise<void> {
  const terms = membershipTerms(filter)
  if (terms === 0 || terms * (await count(Math.floor(most / terms) + 1)) <= most) return
  throw new ScimError(
    'too_many',
    `The filter would compare more than ${most} members. Use fewer terms, or value eq.`,
  )
}

function membershipTerms(filter: ResolvedFilter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.reduce((sum, term) => sum + membershipTerms(term), 0)
    case 'not':
      return membershipTerms(filter.term)
    case 'element': {
      const { urn, name } = filter.path
      const isMembership = urn === null && (name === 'members' || name === 'groups')
      return isMembership ? readingTerms(filter.where) : 0
    }
    default:
      return 0
  }
}

function readingTerms(where: ResolvedFilter): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.terms.reduce((sum, term) => sum + readingTerms(term), 0)
    case 'not':
      return readingTerms(where.term)
    case 'compare':
      return where.path.sub === 'value' && isIndexed(where.operator) ? 0 : 1
    default:
      return 0
  }
}

function isIndexed(operator: CompareOperator): boolean {
  return operator === 'eq' || operator === 'sw'
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
      return isIndexed(filter.operator) ? 0 : 1
    default:
      return 0
  }
}
