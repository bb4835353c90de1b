import type { ResolvedFilter } from '@x/scim-core'
import type { ElementScope } from './element-lists.ts'
import { operandOf } from './operands.ts'
import { CONTACT_LISTS } from './search-keys.ts'

/**
 * Operators that can use an index, or an index at least narrower than the table. The set may contain
 * tombstones, which the surrounding query excludes, so that the set needs only the index.
 */
export const INDEXED_OPERATORS: ReadonlySet<string> = new Set(['eq', 'sw', 'co', 'ew'])

/**
 * The estimated size of a filter's result: `few` if it requires a value that few resources have, `some` if
 * an index narrows it down, `all` if every row has to be tested.
 */
export type Selectivity = 'few' | 'some' | 'all'

const RANK: readonly Selectivity[] = ['few', 'some', 'all']

export function selectivityOf(filter: ResolvedFilter, scope: ElementScope): Selectivity {
  switch (filter.kind) {
    case 'and':
      return extreme(Math.min, filter.terms, scope)
    case 'or':
      return extreme(Math.max, filter.terms, scope)
    case 'compare': {
      const { indexed } = operandOf(filter.path, scope.resource, scope.dialect)
      if (!indexed || !INDEXED_OPERATORS.has(filter.operator)) return 'all'
      return filter.operator === 'eq' ? 'few' : 'some'
    }
    case 'element':
      if (!hasTable(filter.path.urn, filter.path.name)) return 'all'
      return demandsValue(filter.where) ? 'few' : 'some'
    default:
      return 'all'
  }
}

function extreme(
  choose: (...ranks: number[]) => number,
  terms: readonly ResolvedFilter[],
  scope: ElementScope,
): Selectivity {
  const ranks = terms.map((term) => RANK.indexOf(selectivityOf(term, scope)))
  return RANK[choose(...ranks)] ?? 'all'
}

function hasTable(urn: string | null, name: string): boolean {
  return urn === null && (CONTACT_LISTS.has(name) || name === 'groups' || name === 'members')
}

/** Few elements share a value, but many share a type. */
function demandsValue(where: ResolvedFilter): boolean {
  if (where.kind === 'and') return where.terms.some(demandsValue)
  if (where.kind === 'or') return where.terms.every(demandsValue)
  return where.kind === 'compare' && where.operator === 'eq' && where.path.sub === 'value'
}
