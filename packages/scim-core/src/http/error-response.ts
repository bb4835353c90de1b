import { isBodyTooLarge } from '@x/wire'
import { isScimError, ScimError } from '../errors.ts'
import { isStoreUnavailable } from '../store/errors.ts'
import { BODY_HEADERS, type Reply } from './reply.ts'

/** URN of error bodies. */
export const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Headers that go with a code. */
const HEADERS: Partial<Record<ScimError['code'], Readonly<Record<string, string>>>> = {
  unauthorized: { 'www-authenticate': 'Bearer realm="scim"' },
  disabled: { 'www-authenticate': 'Bearer realm="scim"' },
  unavailable: { 'retry-after': '5' },
}

/** Whatever was thrown, as an error with an answer; unknown errors become `internal` (SC-12). */
export function toScimError(error: unknown): ScimError {
  if (isScimError(error)) return error
  if (isStoreUnavailable(error)) {
    return new ScimError('unavailable', 'The service is not available at the moment.', {
      cause: error,
    })
  }
  if (isBodyTooLarge(error)) {
    return new ScimError('too_large', `The body may have ${error.limit} bytes.`, { cause: error })
  }
  return new ScimError('internal', 'Internal error', { cause: error })
}

/** The Error message of RFC 7644 section 3.12. */
export function errorBody({
  status,
  scimType,
  detail,
}: ScimError): Readonly<Record<string, unknown>> {
  return {
    schemas: [ERROR_URN],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail,
  }
}

/** The answer to a failed request. */
export function errorReply(error: ScimError): Reply & { readonly body: string } {
  return {
    status: error.status,
    body: JSON.stringify(errorBody(error)),
    headers: { ...BODY_HEADERS, ...HEADERS[error.code] },
  }
}
