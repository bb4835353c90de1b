import { isBodyRefused, isSchemaError, json } from '@x/wire'
import { isFlowError, type FlowError } from '@x/flow-engine'
import { Refusal } from '../../refusal.ts'
import { isQueueFull, isStoreUnavailable } from '@x/flow-engine/store'

const FIXED = 'Internal Server Error'

/**
 * The response for any thrown value. Unexpected errors get a fixed text and are passed to `report`; no
 * exception message, database text or path reaches the client.
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
      { detail: isSchemaError(error) ? 'The database is not ready' : 'Service Unavailable' },
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
  if (isBodyRefused(error))
    return json(request, { detail: error.message }, { status: error.status })
  // The client has disconnected. Reporting this would let anonymous clients fill the error log.
  if (isClientGone(error))
    return json(request, { detail: 'Client Closed Request' }, { status: 499 })
  report(error)
  return json(request, { detail: FIXED }, { status: 500 })
}

/** True for the error of adapters that means a client disconnected before its body was complete. */
function isClientGone(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'client_gone'
}

/** Retry delay in seconds. */
function retryAfter(status: number): Record<string, string> {
  return status === 429 || status === 503 ? { 'retry-after': '5' } : {}
}

/** True for errors whose message is safe to show; never for `internal`. */
function isShown(error: FlowError): boolean {
  return error.code !== 'internal' && error.status >= 400 && error.status < 600
}
