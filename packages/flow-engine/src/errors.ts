import type { FlowProblem } from './graph/flow/problems.ts'

const BRAND = Symbol.for('@x/flow-engine/error')

/** Every code a FlowError can carry. */
export type FlowErrorCode = keyof typeof STATUS

/** HTTP status of each code. */
const STATUS = {
  invalid_flow: 422,
  invalid_request: 400,
  malformed_handle: 400,
  not_found: 404,
  forbidden: 403,
  conflict: 409,
  component_failed: 500,
  missing_input: 500,
  variable_not_found: 500,
  timeout: 500,
  cancelled: 499,
  limit_exceeded: 500,
  interrupted: 500,
  not_resumable: 500,
  model_failed: 500,
  script_exhausted: 500,
  store_unavailable: 503,
  internal: 500,
  unauthenticated: 403,
  invalid_body: 422,
  too_large: 413,
  rate_limited: 429,
  suspended: 409,
  invalid_answer: 422,
  expired: 500,
  cassette_miss: 500,
  budget_exceeded: 402,
  missing_package: 500,
} as const

/** All error codes, for exhaustive tables. */
export const flowErrorCodes: readonly FlowErrorCode[] = Object.freeze(
  Object.keys(STATUS) as FlowErrorCode[],
)

export interface FlowErrorOptions {
  readonly cause?: unknown
  /** Id of the vertex that failed. */
  readonly vertexId?: string | undefined
  readonly displayName?: string | undefined
  /** Facts of the code, as JSON: those of `budget_exceeded` are `BudgetDetails`. */
  readonly details?: unknown
  /** Default: the status of the code. */
  readonly status?: number
}

/** The engine's only error class; `detail` is safe to show to clients. */
export class FlowError extends Error {
  override readonly name: string = 'FlowError'
  readonly code: FlowErrorCode
  readonly status: number
  readonly detail: string
  /** Facts of the code, as JSON. */
  readonly details?: unknown
  readonly vertexId?: string
  readonly displayName?: string

  constructor(code: FlowErrorCode, detail: string, options: FlowErrorOptions = {}) {
    super(detail, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.detail = detail
    this.status = options.status ?? STATUS[code]
    if (options.details !== undefined) this.details = options.details
    if (options.vertexId !== undefined) this.vertexId = options.vertexId
    if (options.displayName !== undefined) this.displayName = options.displayName
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** A flow that cannot be run, with all of its problems. */
export class FlowCompileError extends FlowError {
  override readonly name = 'FlowCompileError'
  declare readonly code: 'invalid_flow'
  readonly problems: readonly FlowProblem[]

  constructor(problems: readonly FlowProblem[]) {
    super('invalid_flow', problems[0]?.message ?? 'The flow cannot be run')
    this.problems = problems
  }

  /** True for those of another copy of this package as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isFlowError(value) && value.name === 'FlowCompileError'
  }
}

/**
 * A component asked a question or went to sleep and its run is suspended: `ctx.suspend` and `ctx.sleep`
 * reject with it, so that `finally` blocks run. The component is run again from the start when the run
 * resumes.
 */
export class SuspendedError extends FlowError {
  override readonly name = 'SuspendedError'

  constructor() {
    super('suspended', 'The run waits for an answer or for a time')
  }
}

/** A failure that must not be retried. */
export class FatalError extends FlowError {
  override readonly name = 'FatalError'

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('component_failed', message, options)
  }
}

/** Checks the code, so that errors of another copy of the package are recognised too. */
export function isSuspendedError(value: unknown): value is SuspendedError {
  return isFlowError(value) && value.code === 'suspended'
}

/** An answer that does not match its question. */
export class InvalidAnswerError extends FlowError {
  override readonly name = 'InvalidAnswerError'
  declare readonly code: 'invalid_answer'
  readonly problems: readonly { readonly path: string; readonly message: string }[]

  constructor(problems: InvalidAnswerError['problems']) {
    const [first] = problems
    const where = first === undefined || first.path === '' ? 'The answer' : first.path
    super('invalid_answer', `${where} ${first?.message ?? 'does not fit the question'}`)
    this.problems = problems
  }
}

/**
 * A failure of one output. The run's error text is prefixed with the output's method, as users of exported
 * flows know it. The engine adds the method; the error keeps its own message.
 */
export class OutputMethodError extends TypeError {
  override readonly name = 'OutputMethodError'
  method: string | undefined
}

/** Checks a brand, so that errors of another copy of the package are recognised too. */
export function isFlowError(value: unknown): value is FlowError {
  return typeof value === 'object' && value !== null && BRAND in value
}

/** @param what the kind of resource, for example `flow` */
export function notFound(what: string, id: string): FlowError {
  return new FlowError('not_found', `${what} ${id} not found`)
}

export function invalidRequest(detail: string): FlowError {
  return new FlowError('invalid_request', detail)
}

/** The message names the limit. */
export function limitExceeded(limit: string, detail: string, status?: number): FlowError {
  const text = `Limit ${limit} exceeded: ${detail}`
  return new FlowError('limit_exceeded', text, status === undefined ? {} : { status })
}

/** The message of any thrown value. */
export function errorText(thrown: unknown): string {
  if (isFlowError(thrown)) return thrown.detail
  if (thrown instanceof OutputMethodError && thrown.method !== undefined) {
    return `Error running method "${thrown.method}": ${thrown.message}`
  }
  if (thrown instanceof Error) return thrown.message
  if (typeof thrown === 'string') return thrown
  try {
    const { message } = Object(thrown) as { message?: unknown }
    return typeof message === 'string' ? message : String(thrown)
  } catch {
    return 'unknown error'
  }
}
