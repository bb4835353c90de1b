import { ScimConfigError } from './errors.ts'

/** Bounds of what one request may hold. */
export interface ScimLimits {
  /** Bytes of a request body. */
  readonly bodyBytes: number
  /** Nested objects and lists in a body. */
  readonly jsonDepth: number
  readonly patchOperations: number
  /** Comparisons of elements that the operations of one PATCH make; longer texts count for more. */
  readonly patchComparisons: number
  /** UTF-16 code units of one resource as JSON, members aside, after a PATCH. */
  readonly resourceLength: number
  readonly membersPerRequest: number
  /** Elements of one multi-valued attribute, members aside. */
  readonly valuesPerAttribute: number
  /** UTF-16 code units of one string. */
  readonly stringLength: number
  readonly filterLength: number
  readonly filterTerms: number
  readonly filterDepth: number
  /** Terms that no index answers, of a filter with more than 8 of them, times resources of the type. */
  readonly filterComparisons: number
  readonly pathLength: number
  /** Names in `attributes` and `excludedAttributes` together. */
  readonly attributesListed: number
  readonly bulkOperations: number
  readonly bulkBytes: number
  /** Members of groups in one answer. */
  readonly membersPerAnswer: number
}

export const DEFAULT_LIMITS: ScimLimits = {
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

/** The limits with defaults for those not given. @throws ScimConfigError unless positive integers */
export function completeLimits(limits: Partial<ScimLimits> = {}): ScimLimits {
  const all = { ...DEFAULT_LIMITS, ...limits }
  for (const [name, value] of Object.entries(all)) {
    if (!Number.isInteger(value) || value < 1) {
      throw new ScimConfigError('limits', `limits.${name} must be a positive integer`)
    }
  }
  return all
}
