import { invalidRequest } from '../../errors.ts'

/** Bounds of one run (FE-64); null and Infinity = none (AB-90). */
export interface RunLimits {
  /** After group expansion. Default 20,000. */
  vertices: number
  /** Default 100,000. */
  edges: number
  /** Builds of one vertex in one run. Default 10,000. */
  loopPasses: number
  /** Milliseconds. Default 3,600,000. */
  runTimeoutMs: number | null
  /** Milliseconds (FE-67). Default null. */
  vertexTimeoutMs: number | null
  /** In one run or job. Default 1,000,000. */
  events: number
  /** Encoded bytes of one event. Default 8 MiB. */
  eventBytes: number
  /** Texts and bytes of one output. Default 64 MiB. */
  valueBytes: number
  /** Checkpoints and steps of one job (DR-19). Default 256 MiB. */
  checkpointBytes: number
  /** Unread tokens of one reader before neighbours are joined (FE-68). Default 1,024. */
  bufferedTokens: number
  /** Characters of a text in `end_vertex` (results.md 6). Default 6,000. */
  textLength: number
  /** Elements of a list in `end_vertex`. Default 1,000. */
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

/** The limits of a base, or the defaults, overridden by the given ones that are not `undefined`. */
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

/** The same for what is needed before limits are checked: the defaults where they are impossible. */
export function limitsOrDefault(given: Partial<RunLimits> | undefined): RunLimits {
  try {
    return completeLimits(given)
  } catch {
    return defaultRunLimits
  }
}

const TIMES: ReadonlySet<string> = new Set(['runTimeoutMs', 'vertexTimeoutMs'])

/** No limit is null for times, which are not waited for then, and Infinity for numbers (DR-17). */
function readLimit(name: string, value: unknown): number | null {
  if (value === null || value === Number.POSITIVE_INFINITY) {
    return TIMES.has(name) ? null : Number.POSITIVE_INFINITY
  }
  if (typeof value === 'number' && value >= 0) return value
  throw invalidRequest(`limits.${name} must be a number of 0 or more, null or Infinity`)
}

/** Tells whether limits were completed here before: the runs of a service share them. */
function isComplete(given: Partial<RunLimits>): given is RunLimits {
  return complete.has(given)
}
