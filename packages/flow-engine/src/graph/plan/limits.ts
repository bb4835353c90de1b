import { invalidRequest } from '../../errors.ts'

/** Limits of one run. Null and Infinity mean unlimited. */
export interface RunLimits {
  /** Counted after group expansion. Default 20,000. */
  vertices: number
  /** Number of edges. Default 100,000. */
  edges: number
  /** Builds of one vertex in one run. Default 10,000. */
  loopPasses: number
  /** Milliseconds. Default 3,600,000. */
  runTimeoutMs: number | null
  /** Milliseconds. Default null. */
  vertexTimeoutMs: number | null
  /** Events in one run or job. Default 1,000,000. */
  events: number
  /** Encoded size of one event in bytes. Default 8 MiB. */
  eventBytes: number
  /** Bytes of strings and binary data in one output. Default 64 MiB. */
  valueBytes: number
  /** Bytes of checkpoints and steps of one job. Default 256 MiB. */
  checkpointBytes: number
  /** Unread tokens of one reader before adjacent ones are merged. Default 1,024. */
  bufferedTokens: number
  /** Characters of a string in `end_vertex`. Default 6,000. */
  textLength: number
  /** Elements of an array in `end_vertex`. Default 1,000. */
  items: number
}

export const defaultRunLimits: RunLimits = Object.freeze({
  vertices: 20_000,
  edges: 100_000,
  loopPasses: 10_000,
  runTimeoutMs: 3_600_000,
  vertexTimeoutMs: null,
  events: 1_000_000,
  eventBytes: 8 * 1024 * 1024,
  valueBytes: 64 * 1024 * 1024,
  checkpointBytes: 256 * 1024 * 1024,
  bufferedTokens: 1_024,
  textLength: 6_000,
  items: 1_000,
})

const complete = new WeakSet<object>([defaultRunLimits])

/** Applies the given limits that are not `undefined` over a base, or over the defaults. */
export function completeLimits(
  given: Partial<RunLimits> | undefined,
  base: RunLimits = defaultRunLimits,
): RunLimits {
  if (given === undefined) return base
  if (isComplete(given)) return given
  const set = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, readLimit(name, value)])
  const limits = Object.freeze({ ...base, ...Object.fromEntries(set) })
  complete.add(limits)
  return limits
}

/**
 * The same for code that runs before the limits are validated: uses the defaults in place of invalid values.
 */
export function limitsOrDefault(given: Partial<RunLimits> | undefined): RunLimits {
  try {
    return completeLimits(given)
  } catch {
    return defaultRunLimits
  }
}

const TIMES: ReadonlySet<string> = new Set(['runTimeoutMs', 'vertexTimeoutMs'])

/** "Unlimited" is normalised to null for times and to Infinity for numbers. */
function readLimit(name: string, value: unknown): number | null {
  if (value === null || value === Number.POSITIVE_INFINITY) {
    return TIMES.has(name) ? null : Number.POSITIVE_INFINITY
  }
  if (typeof value === 'number' && value >= 0) return value
  throw invalidRequest(`limits.${name} must be a number of 0 or more, null or Infinity`)
}

/** True for limits that were completed here before; the runs of a service share them. */
function isComplete(given: Partial<RunLimits>): given is RunLimits {
  return complete.has(given)
}
