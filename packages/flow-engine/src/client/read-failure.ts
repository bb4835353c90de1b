import { isObject } from '@x/wire'
import { FlowError, type FlowErrorCode } from '../errors.ts'

const CODES: ReadonlyMap<number, FlowErrorCode> = new Map([
  [400, 'invalid_request'],
  [401, 'unauthenticated'],
  [402, 'budget_exceeded'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [413, 'too_large'],
  [422, 'invalid_body'],
  [429, 'rate_limited'],
  [500, 'component_failed'],
  [503, 'store_unavailable'],
])

/** The error of an answer other than 2xx: its status, and its detail as text. */
export async function readFailure(response: Response): Promise<FlowError> {
  const { status, statusText } = response
  const text = await response.text()
  const detail = detailOf(parsed(text)) ?? (statusText === '' ? `HTTP ${status}` : statusText)
  return new FlowError(CODES.get(status) ?? 'internal', detail, { status })
}

/** A text, JSON with a `message`, or the messages of a list of what is wrong with a body. */
function detailOf(body: unknown): string | undefined {
  const detail = isObject(body) ? body['detail'] : undefined
  if (Array.isArray(detail)) {
    const messages = detail.map((one) => (isObject(one) ? one['msg'] : one))
    return messages.map(String).join('; ')
  }
  if (typeof detail !== 'string') return undefined
  const inner = parsed(detail)
  const message = isObject(inner) ? inner['message'] : undefined
  return typeof message === 'string' ? message : detail
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
