import { deferredResponse } from '@x/wire'
import { BodyError } from './body-error.ts'

/** The answer to a failure that nobody has answered: no more than its status says (AD-26). */
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

/** Whether this is a Response, also one of another realm. */
export function isResponse(value: unknown): value is Response {
  return value instanceof Response || Object.prototype.toString.call(value) === '[object Response]'
}

/** Whether an error only says that the client has left. */
export function isAbort(error: unknown): boolean {
  return error instanceof BodyError
    ? error.code === 'client_gone'
    : error instanceof Error && error.name === 'AbortError'
}
