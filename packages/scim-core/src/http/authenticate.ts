import { constantTimeEqual, isResponse, parseBearer } from '@x/wire'
import { sha256 } from '../base/digest.ts'
import { ScimConfigError, ScimError } from '../base/errors.ts'
import {
  ALL_SCOPES,
  type ScimAnswered,
  type ScimAuthProblem,
  type ScimContext,
  type ScimPrincipal,
} from '../base/principal.ts'
import { authMethodsOf, type ScimAuth } from '../options/auth.ts'
import { missingCredential, PausedError, refusedCredential } from './challenge.ts'

/** The caller of a request, and the callback for its outcome. */
export interface Authenticated {
  readonly principal: ScimPrincipal
  readonly answered?: ((principal: ScimPrincipal, answer: ScimAnswered) => void) | undefined
}

/** Identifies the caller of a request. A Response is the host's own response. */
export type Authenticate = (
  request: Request,
  context: ScimContext,
) => Promise<Authenticated | Response> | Authenticated | Response

/** One authentication method; returns null if it does not know the credential. */
type AuthCheck = (request: Request, context: ScimContext) => Verdict | Promise<Verdict>
type Verdict = ScimPrincipal | ScimAuthProblem | Response | null

const STATIC: ScimPrincipal = {
  id: 'static',
  tenant: 'default',
  scopes: ALL_SCOPES,
  kind: 'token',
}

/**
 * The first method that knows the credential decides.
 * @throws ScimConfigError without any method, or for an empty or blank static token (D2)
 */
export function createAuthenticate(
  auth: ScimAuth | readonly ScimAuth[],
  onError: (error: unknown) => void,
): Authenticate {
  const methods = authMethodsOf(auth)
  if (methods.length === 0) throw new ScimConfigError('auth', 'auth names no way to authenticate')
  const tried = methods.map((method) => ({
    ask: checkOf(method, onError),
    answered: method.kind === 'bearer' ? method.answered : undefined,
  }))
  const hasHost = methods.some(({ kind }) => kind === 'host')
  /** Tries the methods from `index` on, synchronously as long as they return no promise. */
  const askFrom = (
    index: number,
    request: Request,
    context: ScimContext,
  ): ReturnType<Authenticate> => {
    const next = tried[index]
    if (next === undefined) return accepted(null, request, hasHost)
    const decide = (verdict: Verdict): ReturnType<Authenticate> => {
      if (verdict === null) return askFrom(index + 1, request, context)
      if (isResponse(verdict)) return verdict
      const found = accepted(verdict, request, hasHost)
      return next.answered === undefined ? found : { ...found, answered: next.answered }
    }
    const verdict = next.ask(request, context)
    return isThenable(verdict) ? Promise.resolve(verdict).then(decide) : decide(verdict)
  }
  return (request, context) => askFrom(0, request, context)
}

/** A host may return any thenable. */
function isThenable(verdict: Verdict | Promise<Verdict>): verdict is Promise<Verdict> {
  return verdict !== null && 'then' in verdict
}

/** @throws ScimError; TypeError for a principal without a tenant, whose data would be another tenant's */
function accepted(verdict: Verdict, request: Request, hasHost: boolean): Authenticated {
  if (verdict === null || isResponse(verdict)) throw unknown(request, hasHost)
  if (!('problem' in verdict)) {
    const { tenant, settings, connectionId, id }: ScimPrincipal & { tenant: unknown } = verdict
    if (settings?.paused === true)
      throw new PausedError({
        problem: 'paused',
        tenant,
        secretId: id,
        ...(connectionId !== undefined && { connectionId }),
      })
    if (typeof tenant === 'string' && tenant !== '') return { principal: verdict }
    throw new TypeError('The principal that authenticate returned has no tenant')
  }
  if (verdict.problem === 'unavailable') {
    throw new ScimError('unavailable', 'The token cannot be checked at the moment.')
  }
  if (verdict.problem === 'paused') throw new PausedError(verdict)
  const isBearer = parseBearer(request.headers.get('authorization')) !== null || hasHost
  throw refusedCredential(verdict.problem, isBearer ? undefined : EXPECTED, verdict)
}

const EXPECTED = 'Expected Authorization: Bearer <token>.'

function unknown(request: Request, hasHost: boolean): ScimError {
  const hasToken = parseBearer(request.headers.get('authorization')) !== null
  if (hasToken) {
    const detail = hasHost ? 'Authentication is required.' : undefined
    return refusedCredential('invalid', detail)
  }
  return missingCredential(hasHost ? 'Authentication is required.' : EXPECTED)
}

function checkOf(auth: ScimAuth, onError: (error: unknown) => void): AuthCheck {
  switch (auth.kind) {
    case 'token':
      return staticToken(auth.token)
    case 'tokens': {
      const { service } = auth
      return withToken((token) => service.check?.(token) ?? service.authenticate(token))
    }
    case 'bearer':
      return withToken(
        (token, request, context) => auth.authenticate(token, request, context),
        auth.misplaced,
      )
    case 'host':
      return (request, context) => context.principal ?? askHost(auth, request, { context, onError })
  }
}

/** Leaves requests without a bearer token to other methods. */
function withToken(
  ask: (token: string, request: Request, context: ScimContext) => Verdict | Promise<Verdict>,
  misplaced: (authorization: string) => Verdict | Promise<Verdict> = () => null,
): AuthCheck {
  return (request, context) => {
    const authorization = request.headers.get('authorization')
    if (authorization === null) return null
    const token = parseBearer(authorization)
    return token === null ? misplaced(authorization) : ask(token, request, context)
  }
}

/**
 * Digests are compared in constant time. The correct string is cached, because its digest costs as much
 * as reading a user. A set looks it up by a hash with a random seed, so that the time reveals nothing.
 */
function staticToken(token: string): AuthCheck {
  if (typeof token !== 'string' || token.trim() === '') {
    throw new ScimConfigError('auth', 'The SCIM token is empty')
  }
  if (parseBearer(`Bearer ${token}`) !== token) {
    const detail = 'The SCIM token has a space or another character that no bearer token may have'
    throw new ScimConfigError('auth', detail)
  }
  const digest = sha256(token)
  const proven = new Set<string>()
  return withToken((given) => {
    if (proven.has(given)) return STATIC
    if (!constantTimeEqual(sha256(given), digest)) return null
    proven.add(token)
    return STATIC
  })
}

async function askHost(
  auth: Extract<ScimAuth, { kind: 'host' }>,
  request: Request,
  {
    context,
    onError,
  }: { readonly context: ScimContext; readonly onError: (error: unknown) => void },
): Promise<ScimPrincipal | Response | null> {
  try {
    return await auth.authenticate(request, context)
  } catch (error) {
    onError(error)
    throw missingCredential('Authentication failed.', { cause: error })
  }
}
