import { isBodyRefused } from '@x/wire'
import { isQueueFull, isStoreUnavailable } from '@x/flow-engine/store'
import { Refusal } from '../../refusal.ts'
import {
  DoorError,
  jsonError,
  missingKey,
  rpcErrorResponse,
  shownError,
  textError,
} from '@x/flow-protocols/internal'
import type { AnswerErrorOptions } from '../route/route.ts'

/** The error of an AI SDK route: the bare text, as `useChat` shows the whole body. */
export async function chatErrorResponse(
  request: Request,
  error: unknown,
  { report }: AnswerErrorOptions,
): Promise<Response> {
  return textError(request, shownError(doorErrorOf(error), report))
}

/** The error of an AG-UI route. */
export async function agUiErrorResponse(
  request: Request,
  error: unknown,
  { report }: AnswerErrorOptions,
): Promise<Response> {
  return jsonError(request, shownError(doorErrorOf(error), report))
}

/** The error of an A2A route: a JSON-RPC error with the status of the failure. */
export async function a2aErrorResponse(
  request: Request,
  error: unknown,
  { report }: AnswerErrorOptions,
): Promise<Response> {
  return rpcErrorResponse(request, shownError(doorErrorOf(error), report))
}

/** Failures of the service, in the words of the doors. */
export function doorErrorOf(error: unknown): unknown {
  if (error instanceof Refusal) {
    if (error.status === 403 && error.detail === FOREIGN) return new DoorError('forbidden', FOREIGN)
    if (error.status === 401 || error.status === 403) return missingKey()
    if (error.status === 413) return new DoorError('too_large', error.detail)
  }
  if (isStoreUnavailable(error))
    return new DoorError('store_unavailable', 'Service Unavailable', {
      headers: RETRY,
      cause: error,
    })
  if (isQueueFull(error))
    return new DoorError('limit_exceeded', 'Too many builds are waiting', { headers: RETRY })
  if (isBodyRefused(error)) return new DoorError('invalid_request', error.message)
  return error
}

const FOREIGN = 'Origin not allowed'
const RETRY = { 'retry-after': '5' }
