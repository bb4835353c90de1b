import { createConnectionsHandler, type ScimConnections } from '@x/scim-core/connections'
import { createWebhooksHandler, type Webhooks } from '@x/scim-core/outbound'

const CONNECTIONS_PATH = '/api/v1/scim/connections'
const WEBHOOKS_PATH = '/api/v1/scim/webhooks'

type Answer = (request: Request) => Promise<Response>

/** The admin APIs of provisioning, for superusers. */
export interface ScimAdminOptions {
  readonly connections: ScimConnections
  readonly webhooks: Webhooks | null
  /** The flow service, which knows its users. */
  readonly flow: Answer
  readonly onError: (error: unknown) => void
}

/** Answers for the paths of the admin APIs; null for those that are not served. */
export function createScimAdmin({
  connections,
  webhooks,
  flow,
  onError,
}: ScimAdminOptions): (request: Request, path: string) => Promise<Response | null> {
  const authorize = (request: Request) => authorizeSuperuser(flow, request)
  const ofConnections = createConnectionsHandler({
    connections,
    basePath: CONNECTIONS_PATH,
    authorize,
    onError,
  })
  const ofWebhooks =
    webhooks && createWebhooksHandler({ webhooks, basePath: WEBHOOKS_PATH, authorize, onError })
  return async (request, path) => {
    if (isBelow(path, CONNECTIONS_PATH)) return ofConnections(request)
    return isBelow(path, WEBHOOKS_PATH) && ofWebhooks !== null ? ofWebhooks(request) : null
  }
}

const isBelow = (path: string, base: string): boolean =>
  path === base || path.startsWith(`${base}/`)

/**
 * Asks the flow service who makes a request. Cookies are left out: a page of another site cannot make a
 * browser send a token or key of its own.
 */
async function authorizeSuperuser(
  flow: Answer,
  request: Request,
): Promise<{ readonly tenant: string; readonly actor: string } | Response> {
  const headers = new Headers()
  for (const name of ['authorization', 'x-api-key']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const answer = await flow(new Request(new URL('/api/v1/users/whoami', request.url), { headers }))
  if (!answer.ok) return refusal(401, 'unauthorized', 'Sign in first.')
  const user = (await answer.json()) as { readonly id: string; readonly is_superuser: boolean }
  if (!user.is_superuser) return refusal(403, 'forbidden', 'Superusers only.')
  return { tenant: 'default', actor: user.id }
}

const refusal = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message } }, { status, headers: { 'cache-control': 'no-store' } })
