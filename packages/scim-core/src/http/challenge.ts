import { ScimError, type ScimErrorCode } from '../base/errors.ts'
import type { ScimAuthProblem } from '../base/principal.ts'

const REALM = 'Bearer realm="scim"'

/** An authentication error with the accepted credentials in `WWW-Authenticate`. */
export class ChallengeError extends ScimError {
  readonly challenge: string
  /** What is known of the credential. */
  readonly refused: ScimAuthProblem | undefined

  constructor(
    code: ScimErrorCode,
    detail: string,
    {
      challenge = REALM,
      refused,
      ...options
    }: ErrorOptions & {
      readonly challenge?: string
      readonly refused?: ScimAuthProblem | undefined
    } = {},
  ) {
    super(code, detail, options)
    this.challenge = challenge
    this.refused = refused
  }
}

/** 503 for a request of a paused connection; a refused credential would make its directory stop for good. */
export class PausedError extends ScimError {
  /** Whole seconds. */
  readonly retryAfter = 3_600
  readonly refused: ScimAuthProblem

  constructor(refused: ScimAuthProblem) {
    super('unavailable', 'The connection is paused.')
    this.refused = refused
  }
}

/** What is known of the credential that an error refuses. */
export function refusedOf(error: ScimError | undefined): ScimAuthProblem | undefined {
  return error instanceof ChallengeError || error instanceof PausedError ? error.refused : undefined
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
  refused?: ScimAuthProblem,
): ScimError {
  const description = DESCRIPTIONS[problem]
  const challenge = `${REALM}, error="invalid_token", error_description="${description}"`
  return new ChallengeError('unauthorized', detail, { challenge, refused })
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
