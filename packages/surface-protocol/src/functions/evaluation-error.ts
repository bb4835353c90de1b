import { SurfaceError, type SurfaceErrorCode } from '../diagnostics/errors.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'

/** The reason a value cannot be evaluated. */
export class EvaluationError extends Error {
  readonly code: SurfaceErrorCode
  readonly limit: keyof SurfaceLimits | undefined

  constructor(code: SurfaceErrorCode, detail: string, limit?: keyof SurfaceLimits) {
    super(detail)
    this.name = 'EvaluationError'
    this.code = code
    this.limit = limit
  }
}

/** Creates the error for a function that has no result for its arguments. */
export function functionFailed(detail: string): EvaluationError {
  return new EvaluationError('function_failed', detail)
}

/** Runs an evaluation; failures are converted to the public form. @throws SurfaceError */
export function orSurfaceError<T>(surfaceId: string | undefined, evaluate: () => T): T {
  try {
    return evaluate()
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    const { code, message: detail, limit } = error
    throw new SurfaceError({ code, detail, limit, surfaceId })
  }
}
