import { deferredResponse } from '@x/wire'
import { BodyError } from './body-error.ts'

/** The default response to an unhandled failure; it shows no more than the status (AD-26). */
export function failureAnswer(error: unknown): Response {
  return error instanceof BodyError && error.status === 413
    ? plainAnswer(413, error.message)
    : plainAnswer(500, 'Internal Server Error')
}

/** An answer of a mount itself. */
export function plainAnswer(status: number, detail: string): Response {
  const headers = [['content-type', 'application/json']] as const
  return deferredResponse({ status, headers, body: JSON.stringify({ detail }) })
}

/** True for a Response, also one from another realm. */
export function isResponse(value: unknown): value is Response {
  return value instanceof Response || Object.prototype.toString.call(value) === '[object Response]'
}

/** True if an error only means that the client disconnected. */
export function isAbort(error: unknown): boolean {
  return error instanceof BodyError
    ? error.code === 'client_gone'
    : error instanceof Error && error.name === 'AbortError'
}
