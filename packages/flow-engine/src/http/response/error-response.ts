import { json } from '@x/wire'
import { isFlowError, type FlowError } from '../../errors.ts'
import { Refusal } from '../../refusal.ts'
import { isQueueFull, isStoreUnavailable } from '../../store/store-error.ts'

const FIXED = 'Internal Server Error'

/**
 * The answer to whatever was thrown. Unforeseen failures get a fixed text and go to `report`; no
 * text of an exception, a database or a path reaches the client.
 */
export function errorResponse(
  request: Request,
  error: unknown,
  report: (error: unknown) => void,
): Response {
  if (error instanceof Refusal) {
    return json(request, { detail: error.body }, { status: error.status, headers: error.headers })
  }
  if (isFlowError(error) && isShown(error)) {
    const headers = retryAfter(error.status)
    return json(request, { detail: error.detail }, { status: error.status, headers })
  }
  if (isStoreUnavailable(error)) {
    report(error)
    return json(
      request,
      { detail: 'Service Unavailable' },
      { status: 503, headers: retryAfter(503) },
    )
  }
  if (isQueueFull(error)) {
    return json(
      request,
      { detail: 'Too many builds are waiting' },
      { status: 429, headers: retryAfter(429) },
    )
  }
  report(error)
  return json(request, { detail: FIXED }, { status: 500 })
}

/** When to come back, in seconds. */
function retryAfter(status: number): Record<string, string> {
  return status === 429 || status === 503 ? { 'retry-after': '5' } : {}
}

/** Errors whose text is safe for the caller; that of `internal` never is. */
function isShown(error: FlowError): boolean {
  return error.code !== 'internal' && error.status >= 400 && error.status < 600
}
