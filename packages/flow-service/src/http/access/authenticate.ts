import { constantTimeEqual, isResponse } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import type { HostAuthenticate, HostContext, HostIdentity } from '../../options.ts'
import { callerOf, type Caller } from '../../services/base/caller.ts'
import type { ServiceDependencies } from '../../services/base/dependencies.ts'
import { noMcpCredentials } from '../../services/mcp/mcp-projects.ts'
import { refuse, type Refusal } from '../../refusal.ts'
import type { FlowServices } from '../../services/services.ts'
import type { ApiKeyRecord } from '../../store/api-keys.ts'
import type { UserRecord } from '../../store/users.ts'
import { readCookies } from '../request/cookies.ts'
import type { Auth } from '../route/route.ts'
import { isForeign, isOwnOrigin } from './origins.ts'

/** Identifies the caller of a request; undefined for operations that need no credentials. */
export type Authenticate = (
  auth: Auth,
  input: { readonly request: Request; readonly url: URL; readonly context: HostContext },
) => Promise<Caller | Response | undefined>

/** How a client learns what credentials are expected. */
export const CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } }

/** Authenticates requests by API key, token or cookie, or as the host decides. */
export function createAuthenticate(
  deps: ServiceDependencies,
  services: Services,
  host: HostAuthenticate | undefined,
): Authenticate {
  return async (auth, { request, url, context }) => {
    if (auth === 'none' || auth === 'webhook' || auth === 'public') return undefined
    const isVisitor = auth === 'optional' || mayVisit(deps, services, { auth, request, url })
    const found = async (): Promise<Caller | Response | undefined> => {
      if (context.user === undefined && host === undefined)
        return await fromRequest(deps, services, { auth, request, url, isVisitor })
      const identity = context.user ?? (await host?.(request, context)) ?? null
      return await fromHost(deps, services, { auth, identity, isVisitor })
    }
    return auth === 'optional' ? await nullIfRefused(found()) : await found()
  }
}

/** Treats invalid credentials as missing. */
async function nullIfRefused(
  work: Promise<Caller | Response | undefined>,
): Promise<Caller | undefined> {
  try {
    const caller = await work
    return isResponse(caller) ? undefined : caller
  } catch (error) {
    if (isFlowError(error) && error.status < 500) return undefined
    throw error
  }
}

/**
 * Checks that a caller has the rights for an operation.
 * @throws Refusal 403
 */
export function checkRights(auth: Auth, caller: Caller | undefined): void {
  if (auth === 'superuser' && caller?.isSuperuser !== true) {
    throw refuse(403, "The user doesn't have enough privileges")
  }
}

/** The API key of a request; the query parameter takes precedence over the header. */
export function readApiKey(
  request: Request,
  url: URL,
  order: 'query-first' | 'header-first' = 'query-first',
): string | undefined {
  const query = url.searchParams.getAll('x-api-key').at(-1)?.split(',').at(-1)
  const header = request.headers.get('x-api-key') ?? undefined
  const [first, second] = order === 'query-first' ? [query, header] : [header, query]
  return first === undefined || first === '' ? (second === '' ? undefined : second) : first
}

interface Attempt {
  readonly auth: Auth
  readonly request: Request
  readonly url: URL
  /** A request without credentials is accepted as anonymous. */
  readonly isVisitor: boolean
}

type Services = Pick<FlowServices, 'users' | 'apiKeys' | 'login' | 'mcp' | 'doors'>

async function fromRequest(
  deps: ServiceDependencies,
  services: Services,
  { auth, request, url, isVisitor }: Attempt,
): Promise<Caller | undefined> {
  const bearer = auth === 'key' ? undefined : readBearer(request)
  const isKey = takesBearerKey(auth) && bearer !== undefined && !TOKEN.test(bearer)
  if (bearer !== undefined && auth !== 'bearer-key' && !isKey)
    return await fromToken(deps, bearer, 'token')
  const bearerKey = isKey ? bearer : undefined
  const isDoor = auth === 'chat' || auth === 'agent'
  // Addresses of chats appear in logs, so a key in them does not count.
  const given = isDoor ? (request.headers.get('x-api-key') ?? undefined) : readApiKey(request, url)
  // MC-4: for MCP clients the first credential found is decisive.
  const key = auth === 'mcp' ? (bearerKey ?? given) : (given ?? bearerKey)
  if (key !== undefined) return await fromKey(deps, services, { auth, key })
  if (auth === 'session' || (auth === 'chat' && isOwnPage(deps, request, url))) {
    const cookie = readCookies(request).get('access_token_lf') ?? ''
    if (cookie !== '') {
      checkOrigin(deps, request, url)
      return await fromToken(deps, cookie, 'cookie')
    }
  }
  return await withoutCredentials(deps, services, { auth, request, url, isVisitor })
}

/** Clients of the OpenAI API send their key as a Bearer token. */
const takesBearerKey = (auth: Auth): boolean => BEARER_KEYS.has(auth)
const BEARER_KEYS: ReadonlySet<Auth> = new Set(['bearer-key', 'openai', 'mcp', 'chat', 'agent'])

/** An access token has three parts; no API key has. */
const TOKEN = /^[^.]+\.[^.]+\.[^.]+$/

/**
 * True if anonymous clients may use the operation: visitors of public flows, identified by a `client_id`
 * cookie or the id of their chat, and clients of projects that are open without credentials.
 */
function mayVisit(
  { settings }: ServiceDependencies,
  { mcp, doors }: Services,
  { auth, request, url }: Pick<Attempt, 'auth' | 'request' | 'url'>,
): boolean {
  if (auth === 'mcp') return mcp.settings.anonymous
  if (auth === 'chat')
    return doors.takesVisitors(url.pathname.includes('/api/ag-ui/') ? 'agUi' : 'aiSdk')
  const takesGuests = auth === 'guest' || (auth === 'visitor' && settings.publicBuildReaders)
  return takesGuests && readClientId(request) !== null
}

/** The `client_id` cookie; null if it is missing or empty. */
export function readClientId(request: Request): string | null {
  const clientId = readCookies(request).get('client_id') ?? ''
  return clientId === '' ? null : clientId
}

/** The token after the first space; undefined for another scheme or an empty token. */
export function readBearer(request: Request): string | undefined {
  const header = request.headers.get('authorization') ?? ''
  const at = header.indexOf(' ')
  if (at < 0 || header.slice(0, at).toLowerCase() !== 'bearer') return undefined
  const token = header.slice(at + 1).trim()
  return token === '' ? undefined : token
}

async function fromToken(
  { tokens, store, settings }: ServiceDependencies,
  token: string,
  via: 'token' | 'cookie',
): Promise<Caller> {
  const verified = await tokens.verifyAccess(token)
  if ('problem' in verified) throw refuse(401, verified.problem, CHALLENGE)
  const { userId, epoch, signInId } = verified
  const [user, signIn] = await Promise.all([
    store.users.get(userId),
    signInId === null ? null : store.refreshFamilies.get(signInId),
  ])
  if (user?.isActive !== true) throw refuse(401, 'User not found or is inactive.', CHALLENGE)
  // AB-64: a token is valid as long as its sign-in. AB-68: Auto Login tokens have none and depend on the
  // user's epoch.
  const isGood =
    signInId === null
      ? settings.autoLogin && epoch === user.tokenEpoch
      : signIn?.userId === userId && epoch >= 0
  if (!isGood) throw refuse(401, 'Could not validate credentials', CHALLENGE)
  return callerOf(user, via, { signInId })
}

async function fromKey(
  deps: ServiceDependencies,
  services: Services,
  { auth, key }: { readonly auth: Auth; readonly key: string },
): Promise<Caller> {
  const opened = await openKey(deps, services, key)
  if (opened === null) throw unknownKey(auth)
  if (!opened.user.isActive) throw refuse(401, 'Inactive user')
  if (opened.record !== undefined) services.apiKeys.countUse(opened.record)
  return callerOf(opened.user, 'key', { keyHash: opened.record?.hash ?? null })
}

/** The response to a key that opens nothing. */
export function unknownKey(auth: Auth): Refusal {
  return auth === 'mcp' ? refuse(401, 'Invalid API key') : refuse(403, 'Invalid or missing API key')
}

/** The user a clear-text key belongs to, active or not; null for an unknown key. */
export async function openKey(
  { settings, store }: ServiceDependencies,
  { apiKeys, login }: Pick<FlowServices, 'apiKeys' | 'login'>,
  key: string,
): Promise<{ user: UserRecord; record?: ApiKeyRecord } | null> {
  if (settings.apiKeySource === 'env' && settings.apiKey !== null && equal(key, settings.apiKey)) {
    const user = await login.superuser()
    if (user !== null) return { user }
  }
  const record = await apiKeys.find(key)
  const user = record === null ? null : await store.users.get(record.userId)
  return record === null || user === null ? null : { user, record }
}

function equal(a: string, b: string): boolean {
  const encoder = new TextEncoder()
  return constantTimeEqual(encoder.encode(a), encoder.encode(b))
}

/** Cookies are sent automatically, so cross-site requests are refused (CSRF). */
function checkOrigin(deps: ServiceDependencies, request: Request, url: URL): void {
  const origin = request.headers.get('origin')
  if (origin !== null && !isOwnOrigin(origin, url, deps.settings))
    throw refuse(403, 'Origin not allowed')
}

/** A page of this server says so, or names its own origin. */
function isOwnPage(deps: ServiceDependencies, { headers }: Request, url: URL): boolean {
  if (headers.get('sec-fetch-site') === 'same-origin') return true
  const origin = headers.get('origin')
  return origin !== null && isOwnOrigin(origin, url, deps.settings)
}

async function withoutCredentials(
  deps: ServiceDependencies,
  { login }: Services,
  { auth, request, url, isVisitor }: Attempt,
): Promise<Caller | undefined> {
  const { settings } = deps
  if (settings.autoLogin && settings.skipAuthAutoLogin) {
    // AB-67: no credentials are required, so a page of another site could act.
    const foreign = isForeign(request.headers, url, settings)
    if (foreign && isVisitor) return undefined
    if (foreign) throw refuse(403, 'Origin not allowed')
    const user = await login.superuser()
    if (user?.isActive === true) return callerOf(user, 'auto')
  }
  if (isVisitor) return undefined
  throw auth === 'mcp' ? noMcpCredentials() : noCredentials(settings.autoLogin)
}

/** The response to a request without the required credentials. */
export function noCredentials(autoLogin: boolean): Refusal {
  return refuse(
    403,
    autoLogin
      ? 'SERVICE_AUTO_LOGIN requires a valid API key. Set SERVICE_SKIP_AUTH_AUTO_LOGIN=true to skip this check.'
      : 'An API key must be passed as query or header',
  )
}

/** Accepts the host's identity; creates users missing from the store if the host asks for it. */
async function fromHost(
  { store }: ServiceDependencies,
  { users }: Services,
  {
    auth,
    identity,
    isVisitor,
  }: {
    readonly auth: Auth
    readonly identity: HostIdentity | Response | null
    readonly isVisitor: boolean
  },
): Promise<Caller | Response | undefined> {
  if (identity === null && isVisitor) return undefined
  if (identity === null) throw auth === 'mcp' ? noMcpCredentials() : noCredentials(false)
  if (isResponse(identity)) return identity
  const { userId, isSuperuser, createAs } = identity
  const known = await store.users.get(userId)
  const user =
    known ??
    (createAs === undefined
      ? null
      : await users.create({
          id: userId,
          username: createAs,
          password: null,
          isActive: true,
          isSuperuser,
        }))
  if (user?.isActive !== true) throw refuse(401, 'User not found or is inactive.', CHALLENGE)
  return callerOf(user, 'host', { isSuperuser })
}
