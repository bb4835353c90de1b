import type { ResolvedFilter } from './resolved.ts'

/** A filter, or a boolean if it is constant for all resources. */
export type Decision = ResolvedFilter | boolean

export const NEVER = false

/** Combines with `and`, removing constant terms. */
export function allOf(terms: readonly Decision[]): Decision {
  return combine('and', terms)
}

/** Combines with `or`, removing constant terms. */
export function anyOf(terms: readonly Decision[]): Decision {
  return combine('or', terms)
}

export function negate(term: Decision): Decision {
  return typeof term === 'boolean' ? !term : { kind: 'not', term }
}

/** The filter of a decision. @throws TypeError if it is constant, which the caller has ruled out */
export function assertUndecided(decision: Decision): ResolvedFilter {
  if (typeof decision === 'boolean') throw new TypeError('The filter is decided')
  return decision
}

function combine(kind: 'and' | 'or', terms: readonly Decision[]): Decision {
  const settles = kind === 'or'
  if (terms.includes(settles)) return settles
  const open = terms.filter((term) => typeof term !== 'boolean')
  const [first, second] = open
  if (first === undefined) return !settles
  return second === undefined ? first : { kind, terms: open }
}
