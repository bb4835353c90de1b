import { RateLimitError, type ScimError } from '../base/errors.ts'
import { challengeOf, PausedError } from './challenge.ts'
import { BODY_HEADERS, type Reply } from './reply.ts'

/** URN of error bodies. */
export const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Headers sent with each code. */
const HEADERS: Partial<Record<ScimError['code'], Readonly<Record<string, string>>>> = {
  unavailable: { 'retry-after': '5' },
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

/** The response to a failed request. */
export function errorReply(error: ScimError): Reply & { readonly body: string } {
  const challenge = challengeOf(error)
  return {
    status: error.status,
    body: JSON.stringify(errorBody(error)),
    headers: {
      ...BODY_HEADERS,
      ...HEADERS[error.code],
      ...((error instanceof RateLimitError || error instanceof PausedError) && {
        'retry-after': String(error.retryAfter),
      }),
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
    },
  }
}
