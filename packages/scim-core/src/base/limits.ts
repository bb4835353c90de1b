import { ScimConfigError } from './errors.ts'

/** Limits of one request. */
export interface ScimLimits {
  /** Maximum bytes of a request body. */
  readonly bodyBytes: number
  /** Maximum nesting depth of objects and arrays in a body. */
  readonly jsonDepth: number
  readonly patchOperations: number
  /** Element comparisons made by the operations of one PATCH; longer strings count for more. */
  readonly patchComparisons: number
  /** UTF-16 code units of one resource as JSON after a PATCH, without members. */
  readonly resourceLength: number
  readonly membersPerRequest: number
  /** Elements of one multi-valued attribute, except members. */
  readonly valuesPerAttribute: number
  /** UTF-16 code units of one string. */
  readonly stringLength: number
  readonly filterLength: number
  readonly filterTerms: number
  readonly filterDepth: number
  /**
   * For filters with more than 8 terms: terms that cannot use an index, times resources of the type. For
   * comparisons with members or groups, except `value` with `eq` or `sw`: terms times memberships.
   */
  readonly filterComparisons: number
  readonly pathLength: number
  /** Names in `attributes` and `excludedAttributes` together. */
  readonly attributesListed: number
  readonly bulkOperations: number
  readonly bulkBytes: number
  /** Group members in one response. */
  readonly membersPerAnswer: number
}

export const defaultLimits: ScimLimits = {
  bodyBytes: 1_048_576,
  jsonDepth: 16,
  patchOperations: 1_000,
  patchComparisons: 1_000_000,
  resourceLength: 1_048_576,
  membersPerRequest: 10_000,
  valuesPerAttribute: 1_000,
  stringLength: 65_536,
  filterLength: 4_096,
  filterTerms: 64,
  filterDepth: 32,
  filterComparisons: 1_000_000,
  pathLength: 1_024,
  attributesListed: 64,
  bulkOperations: 1_000,
  bulkBytes: 1_048_576,
  membersPerAnswer: 5_000_000,
}

/** Applies defaults to missing limits. @throws ScimConfigError unless positive integers */
export function completeLimits(limits: Partial<ScimLimits> = {}): ScimLimits {
  const all = { ...defaultLimits, ...limits }
  for (const [name, value] of Object.entries(all)) {
    if (!Number.isInteger(value) || value < 1) {
      throw new ScimConfigError('limits', `limits.${name} must be a positive integer`)
    }
  }
  return all
}
