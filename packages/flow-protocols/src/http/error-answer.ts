import { json } from '@x/wire'
import { DoorError, toDoorError } from './door-error.ts'

/** The error of a request, or the internal one, whose cause is reported. */
export function shownError(error: unknown, report: (error: unknown) => void): DoorError {
  const shown = toDoorError(error)
  if (shown !== undefined) return shown
  report(error)
  return new DoorError('internal', 'Internal error.', { cause: error })
}

/** `useChat` shows the whole body of an error as its message: it is the bare text, unless JSON is asked for. */
export function textError(request: Request, error: DoorError): Response {
  const { status, message, code } = error
  const wantsJson = /application\/json/i.test(request.headers.get('accept') ?? '')
  if (wantsJson) return jsonError(request, error)
  return new Response(message, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-error-code': code,
      ...error.headers,
    },
  })
}

export function jsonError(request: Request, error: DoorError): Response {
  const { status, message, code, headers } = error
  return json(
    request,
    { error: { code, message } },
    {
      status,
      headers: { 'cache-control': 'no-store', 'x-error-code': code, ...headers },
    },
  )
}
