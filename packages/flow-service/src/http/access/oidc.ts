import { createSystemRuntime, encodeBase64Url, secretBytes, type Runtime } from '@x/wire'
import { SignJWT } from 'jose'
import { verifyWithAny } from '../../services/crypto/verify-with-any.ts'
import { createOidcProvider } from '../../services/accounts/oidc-provider.ts'
import {
  findOidcUser,
  identityOf,
  type OidcIdentity,
  type OidcUser,
} from '../../services/accounts/oidc-users.ts'
import { refuse } from '../../refusal.ts'

import type { FlowServices } from '../../services/services.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import { formatCookie, readCookies } from '../request/cookies.ts'
import { errorResponse } from '../response/error-response.ts'
import { sessionCookies } from './session-cookies.ts'

/** Options of single sign-on. */
export interface OidcSignInOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string
  /** Base URL of this service; the provider redirects users below it. */
  readonly publicUrl: string
  /** Signs the cookie between the two steps; at least 32 characters or bytes. Earlier keys may follow. */
  readonly secretKey: string | Uint8Array | readonly (string | Uint8Array)[]
  readonly services: Pick<FlowServices, 'login' | 'users' | 'status'>
  readonly store: Pick<FlowStore, 'oidcLinks' | 'users'>
  /** Finds the managed user of an identity without a link: by externalId, then by verified email. */
  readonly findManagedUser?: (identity: OidcIdentity) => Promise<string | null>
  /** The claim used as the directory's externalId. Default `sub`. */
  readonly externalIdClaim?: string
  /** Creates a user for an unknown identity. Default false. */
  readonly autoCreate?: boolean
  readonly fetch?: typeof fetch
  /** Timeout of each request to the provider, in milliseconds (503 beyond it). Default 10,000. */
  readonly timeoutMs?: number
  readonly runtime?: Runtime
  readonly onError?: (error: unknown) => void
}

/** How a sign-in ended. Not reported if the provider failed, or for a callback that belongs to no sign-in. */
export interface OidcSignInEnd {
  readonly outcome: 'ok' | 'refused'
  /** Null if the user is unknown. */
  readonly userId: string | null
  /** True if the user was created for this sign-in. */
  readonly isNew: boolean
}

/** The two handlers of single sign-on; hosts mount them. */
export interface OidcSignIn {
  /** `GET /api/v1/oidc/login?return_to=/path` */
  readonly login: (request: Request) => Promise<Response>
  /**
   * `GET /api/v1/oidc/callback`
   * @param ended called with the outcome before the response is sent, for audit records
   */
  readonly callback: (
    request: Request,
    ended?: (end: OidcSignInEnd) => void | Promise<void>,
  ) => Promise<Response>
  /** The provider's end-session URL, for the header `x-oidc-logout` of a sign-out. */
  readonly endSessionUrl: () => Promise<string | undefined>
}

const COOKIE = 'oidc_sign_in'
/** Characters of `return_to`; browsers keep cookies of 4,096 bytes. */
const LONGEST_RETURN = 1_000
const COOKIE_SECONDS = 600
const CALLBACK = '/api/v1/oidc/callback'

interface Pending {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
}

/** @throws TypeError for an issuer that is neither https nor loopback */
export function createOidcSignIn(options: OidcSignInOptions): OidcSignIn {
  const runtime = options.runtime ?? createSystemRuntime()
  const { issuer, clientId, clientSecret, publicUrl, services } = options
  const provider = createOidcProvider({
    issuer,
    clientId,
    runtime,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  })
  const keys = secretBytes(options.secretKey)
  const redirectUri = `${publicUrl.replace(/\/$/, '')}${CALLBACK}`
  const secure = publicUrl.startsWith('https:')
  // Pages of sibling domains cannot set cookies with this prefix (RFC 6265bis), nor bring a sign-in of theirs.
  const name = secure ? `__Host-${COOKIE}` : COOKIE
  const random = (): string => encodeBase64Url(runtime.randomBytes(32))
  const answering = (work: (request: Request) => Promise<Response>) => async (request: Request) => {
    try {
      return await work(request)
    } catch (error) {
      return errorResponse(request, error, (cause) => options.onError?.(cause))
    }
  }

  return {
    endSessionUrl: () => provider.endSessionUrl(),
    login: answering(async (request) => {
      const returnTo = checkReturn(new URL(request.url).searchParams.get('return_to'))
      const pending = { state: random(), nonce: random(), verifier: random(), returnTo }
      const location = await provider.authorizeUrl({ ...pending, redirectUri })
      const value = await seal(pending, keys, runtime)
      const cookie = stepCookie(name, value, { secure, maxAge: COOKIE_SECONDS })
      return new Response(null, {
        status: 302,
        headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store' },
      })
    }),
    callback: (request, ended) =>
      answering(async () => {
        const refused = { outcome: 'refused', userId: null, isNew: false } as const
        const query = new URL(request.url).searchParams
        const pending = await open(readCookies(request).get(name), keys, runtime)
        // Not reported: otherwise anonymous clients could fill the audit records.
        if (pending === undefined || query.get('state') !== pending.state)
          throw refuse(400, 'The sign-in was not started here, or has expired')
        const signedIn = await signedInBy(query, pending).catch(async (error: unknown) => {
          if (statusOf(error) < 500) await ended?.(refused)
          throw error
        })
        await ended?.({ outcome: 'ok', ...signedIn.user })
        return signedIn.response
      })(request),
  }

  async function signedInBy(
    query: URLSearchParams,
    pending: Pending,
  ): Promise<{ readonly user: OidcUser; readonly response: Response }> {
    const { returnTo } = pending
    const claims = await provider.claims(query, { ...pending, redirectUri })
    const identity = identityOf(claims, issuer, options.externalIdClaim ?? 'sub')
    const user = await findOidcUser({ ...options, users: services.users, runtime }, identity)
    const session = await services.login.signInAs(user.userId)
    const response = new Response(null, {
      status: 302,
      headers: { location: returnTo, 'cache-control': 'no-store' },
    })
    const cookies = sessionCookies(services.status.settings, session, 'login')
    const cleared = stepCookie(name, '', { secure, maxAge: 0 })
    for (const cookie of [...cookies, cleared]) response.headers.append('set-cookie', cookie)
    return { user, response }
  }
}

/** The status of a refusal; 500 for any other error. */
function statusOf(error: unknown): number {
  const status: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined
  return typeof status === 'number' ? status : 500
}

/** A path on this host, encoded for a header; anything a browser might read as another host is refused. */
function checkReturn(path: string | null): string {
  if (path === null || path === '') return '/'
  // eslint-disable-next-line no-control-regex
  if (!path.startsWith('/') || /^\/[/\\]|[\\\u0000-\u001f\u007f]/.test(path)) {
    throw refuse(400, 'return_to must be a path of this host')
  }
  const { pathname, search, hash } = new URL(`http://host${path}`)
  const encoded = `${pathname}${search}${hash}`
  if (encoded.length > LONGEST_RETURN)
    throw refuse(400, `return_to has more than ${LONGEST_RETURN} characters`)
  // Removing dot segments may have left a path that browsers read as a host.
  if (encoded.startsWith('//')) throw refuse(400, 'return_to must be a path of this host')
  return encoded
}

function stepCookie(
  name: string,
  value: string,
  { secure, maxAge }: { secure: boolean; maxAge: number },
): string {
  const fixed = { name, sameSite: 'lax', httpOnly: true, domain: null } as const
  return formatCookie({ ...fixed, value, secure, maxAge })
}

async function seal(
  pending: Pending,
  [key = new Uint8Array()]: readonly Uint8Array[],
  runtime: Runtime,
): Promise<string> {
  const now = Math.floor(runtime.now().getTime() / 1000)
  return await new SignJWT({ type: 'oidc', ...pending })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(now + COOKIE_SECONDS)
    .sign(key)
}

async function open(
  cookie: string | undefined,
  keys: readonly Uint8Array[],
  runtime: Runtime,
): Promise<Pending | undefined> {
  if (cookie === undefined || cookie === '') return undefined
  try {
    const payload = await verifyWithAny(cookie, keys, {
      algorithms: ['HS256'],
      requiredClaims: ['exp'],
      currentDate: runtime.now(),
    })
    const { type, state, nonce, verifier, returnTo } = payload
    const texts = [state, nonce, verifier, returnTo]
    if (type !== 'oidc' || !texts.every((text) => typeof text === 'string')) return undefined
    return {
      state: String(state),
      nonce: String(nonce),
      verifier: String(verifier),
      returnTo: String(returnTo),
    }
  } catch {
    return undefined
  }
}
