import { exceedsDepth } from '@x/wire'
import type { DoorCall } from './door-call.ts'
import { DoorError, invalid } from './door-error.ts'

/** Bytes of a request. */
export const MAX_BODY = 32 * 1024 * 1024
const MAX_DEPTH = 100

/**
 * The JSON of a request.
 * @throws DoorError `unsupported_media`, `invalid_request`; BodyTooLargeError
 */
export async function readJson(
  { request, bytes }: Pick<DoorCall, 'request' | 'bytes'>,
  limit = MAX_BODY,
): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new DoorError('unsupported_media', 'The body must be application/json.')
  return parseJson(await bytes(limit))
}

/** @throws DoorError `invalid_request` */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!exceedsDepth(text, MAX_DEPTH)) return JSON.parse(text) as unknown
  } catch (cause) {
    throw new DoorError('invalid_request', 'The body is not JSON.', { cause })
  }
  throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`)
}
