import { createSystemRuntime, type Runtime } from '@x/wire'
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose'
import { createOidcProvider } from '../services/oidc-provider.ts'
import { isFlowError } from '../errors.ts'
import { refuse } from '../services/refusal.ts'
import { toBase64Url } from '../services/secrets.ts'
import type { FlowServices } from '../services/services.ts'
import type { FlowStore } from '../store/flow-store.ts'
import { isUniqueConflict } from '../store/store-error.ts'
import { formatCookie, readCookies } from './cookies.ts'
import { errorResponse } from './error-response.ts'
import { sessionCookies } from './session-cookies.ts'

/** An identity that a provider has vouched for. */
export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
  /** `sub`, or the claim named by `externalIdClaim`. */
  readonly externalId: string
  /** Only when the provider says that it is verified. */
  readonly email: string | null
  /** Every claim of the ID token. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** What single sign-on is made of (SU-20 to SU-25). */
export interface OidcSignInOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string
  /** Base of this service's addresses; the provider sends users back below it. */
  readonly publicUrl: string
  /** Signs the cookie between the two steps; at least 32 characters or bytes. */
  readonly secretKey: string | Uint8Array
  readonly services: Pick<FlowServices, 'login' | 'users' | 'status'>
  readonly store: Pick<FlowStore, 'oidcLinks' | 'users'>
  /** The managed user of an identity without a link (SU-23): by externalId, then by verified email. */
  readonly findManagedUser?: (identity: OidcIdentity) => Promise<string | null>
  /** The claim that is the directory's externalId; `sub`. */
  readonly externalIdClaim?: string
  /** Makes a user for an identity that has none; false. */
  readonly autoCreate?: boolean
  readonly fetch?: typeof fetch
  readonly runtime?: Runtime
  readonly onError?: (error: unknown) => void
}

/** The two handlers of single sign-on; hosts mount them. */
export interface OidcSignIn {
  /** `GET /api/v1/oidc/login?return_to=/path` */
  readonly login: (request: Request) => Promise<Response>
  /** `GET /api/v1/oidc/callback` */
  readonly callback: (request: Request) => Promise<Response>
  /** Where the provider ends its session, for the header `x-oidc-logout` of a sign-out (SU-24). */
  readonly endSessionUrl: () => Promise<string | undefined>
}

const COOKIE = 'oidc_sign_in'
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
  })
  const key = bytesOf(options.secretKey)
  const redirectUri = `${publicUrl.replace(/\/$/, '')}${CALLBACK}`
  const secure = publicUrl.startsWith('https:')
  const random = (): string => toBase64Url(runtime.randomBytes(32))
  const answering = (work: (request: Request) => Promise<Response>) => async (request: Request) => {
    try {
      return await work(request)
    } catch (error) {
      return errorResponse(request, translated(error), (cause) => options.onError?.(cause))
    }
  }

  return {
    endSessionUrl: () => provider.endSessionUrl(),
    login: answering(async (request) => {
      const returnTo = checkReturn(new URL(request.url).searchParams.get('return_to'))
      const pending = { state: random(), nonce: random(), verifier: random(), returnTo }
      const location = await provider.authorizeUrl({
        redirect_uri: redirectUri,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await challenge(pending.verifier),
        code_challenge_method: 'S256',
      })
      const value = await seal(pending, key, runtime)
      const cookie = stepCookie(value, { secure, maxAge: COOKIE_SECONDS })
      return new Response(null, { status: 302, headers: { location, 'set-cookie': cookie } })
    }),
    callback: answering(async (request) => {
      const query = new URL(request.url).searchParams
      const pending = await open(readCookies(request).get(COOKIE), key, runtime)
      if (pending === undefined || query.get('state') !== pending.state) {
        throw refuse(400, 'The sign-in was not started here, or has expired')
      }
      const code = query.get('code')
      if (code === null) throw refuse(400, 'The identity provider refused the sign-in')
      const { nonce, verifier, returnTo } = pending
      const claims = await provider.claims({ code, redirectUri, verifier, nonce })
      const identity = identityOf(claims, issuer, options.externalIdClaim ?? 'sub')
      const session = await services.login.signInAs(await findUser(options, identity, runtime))
      const response = new Response(null, { status: 302, headers: { location: returnTo } })
      const cookies = sessionCookies(services.status.settings, session, 'login')
      const cleared = stepCookie('', { secure, maxAge: 0 })
      for (const cookie of [...cookies, cleared]) response.headers.append('set-cookie', cookie)
      return response
    }),
  }
}

/** SU-23: the stored link, then what the host finds, then a new user where that is allowed. */
async function findUser(
  { store, services, findManagedUser, autoCreate = false }: OidcSignInOptions,
  identity: OidcIdentity,
  runtime: Runtime,
): Promise<string> {
  const { issuer, subject } = identity
  const link = await store.oidcLinks.find(issuer, subject)
  if (link !== null) return link.userId
  let userId = (await findManagedUser?.(identity)) ?? null
  if (userId === null && autoCreate) {
    const username = identity.email ?? identity.subject
    const user = await services.users.create({ username, password: null, isActive: true })
    userId = user.id
  }
  if (userId === null) throw refuse(403, 'No account is provisioned for this identity')
  try {
    await store.oidcLinks.insert({ issuer, subject, userId, createdAt: runtime.now() })
  } catch (error) {
    if (!isUniqueConflict(error)) throw error
    return (await store.oidcLinks.find(issuer, subject))?.userId ?? userId
  }
  return userId
}

function identityOf(claims: JWTPayload, issuer: string, externalIdClaim: string): OidcIdentity {
  const { sub = '' } = claims
  const { [externalIdClaim]: externalId, email, email_verified: verified } = claims
  return {
    issuer,
    subject: sub,
    externalId: typeof externalId === 'string' ? externalId : sub,
    email: typeof email === 'string' && verified === true ? email : null,
    claims,
  }
}

/** A path of this host; anything that a browser could take for another one is refused. */
function checkReturn(path: string | null): string {
  if (path === null || path === '') return '/'
  // eslint-disable-next-line no-control-regex
  if (!path.startsWith('/') || /^\/[/\\]|[\\\u0000-\u001f\u007f]/.test(path)) {
    throw refuse(400, 'return_to must be a path of this host')
  }
  return path
}

/** RFC 7636 section 4.2. */
async function challenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return toBase64Url(new Uint8Array(digest))
}

function stepCookie(
  value: string,
  { secure, maxAge }: { secure: boolean; maxAge: number },
): string {
  const fixed = { name: COOKIE, sameSite: 'lax', httpOnly: true, domain: null } as const
  return formatCookie({ ...fixed, value, secure, maxAge })
}

async function seal(pending: Pending, key: Uint8Array, runtime: Runtime): Promise<string> {
  const now = Math.floor(runtime.now().getTime() / 1000)
  return await new SignJWT({ type: 'oidc', ...pending })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(now + COOKIE_SECONDS)
    .sign(key)
}

async function open(
  cookie: string | undefined,
  key: Uint8Array,
  runtime: Runtime,
): Promise<Pending | undefined> {
  if (cookie === undefined || cookie === '') return undefined
  try {
    const { payload } = await jwtVerify(cookie, key, {
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

/** What jose refuses is the client's affair; nothing of the token is told. */
function translated(error: unknown): unknown {
  if (isFlowError(error) || !(error instanceof errors.JOSEError)) return error
  return refuse(400, 'The identity token is not valid', { cause: error })
}

function bytesOf(key: string | Uint8Array): Uint8Array {
  return typeof key === 'string' ? new TextEncoder().encode(key) : key
}
