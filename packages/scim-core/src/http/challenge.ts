import { ScimError, type ScimErrorCode } from '../base/errors.ts'

const REALM = 'Bearer realm="scim"'

/** An authentication error with the accepted credentials in `WWW-Authenticate`. */
export class ChallengeError extends ScimError {
  readonly challenge: string

  constructor(
    code: ScimErrorCode,
    detail: string,
    { challenge = REALM, ...options }: ErrorOptions & { readonly challenge?: string } = {},
  ) {
    super(code, detail, options)
    this.challenge = challenge
  }
}

/** 401 for a request without a credential. */
export function missingCredential(detail: string, options?: ErrorOptions): ScimError {
  return new ChallengeError('unauthorized', detail, options)
}

const DESCRIPTIONS = {
  expired: 'The token has expired',
  revoked: 'The token has been revoked',
  invalid: 'The token is not valid',
} as const

/** 401 for a rejected credential. */
export function refusedCredential(
  problem: keyof typeof DESCRIPTIONS,
  detail = 'The bearer token is not valid.',
): ScimError {
  const description = DESCRIPTIONS[problem]
  const challenge = `${REALM}, error="invalid_token", error_description="${description}"`
  return new ChallengeError('unauthorized', detail, { challenge })
}

/** 403 for a credential without the required scope. */
export function insufficientScope(scope: string): ScimError {
  const challenge = `${REALM}, error="insufficient_scope", scope="${scope}"`
  return new ChallengeError('forbidden', `The scope ${scope} is needed.`, { challenge })
}

/** The challenge sent with an error; undefined: none. */
export function challengeOf(error: ScimError): string | undefined {
  if (error instanceof ChallengeError) return error.challenge
  return error.status === 401 ? REALM : undefined
}
