import { InvalidFilterError, type ResolvedFilter } from '@x/scim-core'

/** Maximum alternations of `and` and `or`: SQLite's parser supports 100 open symbols. */
const MAX_NESTING = 18

/**
 * The same filter with `not` only around single comparisons, and nested lists of the same kind flattened, to
 * minimise nesting. Conditions are two-valued, with null as false, so De Morgan's laws apply.
 * @throws InvalidFilterError if it is still too deep for the database
 */
export function pushDownNegation(filter: ResolvedFilter): ResolvedFilter {
  const result = withNotsAtLeaves(filter, false)
  if (nestingOf(result) <= MAX_NESTING) return result
  throw new InvalidFilterError(
    `The filter nests "and" and "or" more than ${MAX_NESTING} levels deep.`,
  )
}

function withNotsAtLeaves(filter: ResolvedFilter, isNegated: boolean): ResolvedFilter {
  switch (filter.kind) {
    case 'not':
      return withNotsAtLeaves(filter.term, !isNegated)
    case 'and':
    case 'or': {
      const kind = isNegated ? (filter.kind === 'and' ? 'or' : 'and') : filter.kind
      const terms = filter.terms
        .map((term) => withNotsAtLeaves(term, isNegated))
        .flatMap((term) => (term.kind === kind ? term.terms : [term]))
      return { kind, terms }
    }
    case 'element': {
      const inner = { ...filter, where: withNotsAtLeaves(filter.where, false) }
      return isNegated ? { kind: 'not', term: inner } : inner
    }
    case 'compare':
    case 'present':
      return isNegated ? { kind: 'not', term: filter } : filter
  }
}

function nestingOf(filter: ResolvedFilter): number {
  if (filter.kind === 'element') return 1 + nestingOf(filter.where)
  if (filter.kind === 'not') return nestingOf(filter.term)
  if (!('terms' in filter)) return 0
  return 1 + filter.terms.reduce((most, term) => Math.max(most, nestingOf(term)), 0)
}
