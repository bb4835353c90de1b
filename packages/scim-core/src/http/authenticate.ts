import { constantTimeEqual, parseBearer } from '@x/wire'
import type { ScimAuth } from '../options/auth.ts'
import { sha256 } from '../base/digest.ts'
import { ScimConfigError, ScimError } from '../base/errors.ts'
import { ALL_SCOPES, type ScimContext, type ScimPrincipal } from '../base/principal.ts'

/** Finds out who makes a request. A Response is the host's own answer (SC-2). */
export type Authenticate = (
  request: Request,
  context: ScimContext,
) => Promise<ScimPrincipal | Response> | ScimPrincipal

const STATIC: ScimPrincipal = {
  id: 'static',
  tenant: 'default',
  scopes: ALL_SCOPES,
  kind: 'token',
}

/** @throws ScimConfigError for a static token that is empty or white space (D2) */
export function createAuthenticate(
  auth: ScimAuth,
  onError: (error: unknown) => void,
): Authenticate {
  switch (auth.kind) {
    case 'token':
      return staticToken(auth.token)
    case 'tokens':
      return async (request) => {
        const token = readBearer(request)
        const principal = await auth.service.authenticate(token)
        if (principal === null) throw rejected()
        return principal
      }
    case 'host':
      return async (request, context) => {
        if (context.principal !== undefined) return context.principal
        const answer = await hostAnswer(auth, request, { context, onError })
        if (answer === null) throw new ScimError('unauthorized', 'Authentication is required.')
        return answer
      }
  }
}

/** SC-68: compared in constant time, over digests. */
function staticToken(token: string): Authenticate {
  if (typeof token !== 'string' || token.trim() === '') {
    throw new ScimConfigError('auth', 'The SCIM token is empty')
  }
  const digest = sha256(token)
  return (request) => {
    if (!constantTimeEqual(sha256(readBearer(request)), digest)) throw rejected()
    return STATIC
  }
}

async function hostAnswer(
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
    throw new ScimError('unauthorized', 'Authentication failed.', { cause: error })
  }
}

function readBearer(request: Request): string {
  const token = parseBearer(request.headers.get('authorization'))
  if (token === null) {
    throw new ScimError('unauthorized', 'Expected Authorization: Bearer <token>.')
  }
  return token
}

function rejected(): ScimError {
  return new ScimError('unauthorized', 'The bearer token is not valid.')
}
