import {
  createOidcSignIn,
  type FlowService,
  type HostContext,
  type OidcIdentity,
  type OidcSignInEnd,
} from '@x/flow-service'
import type { FlowStore } from '@x/flow-service/store'
import type { ScimService } from '@x/scim-core'
import type { AuditTrail } from './operate/audit-trail.ts'
import { SettingsError, type Settings } from './settings/read-settings.ts'

export interface SingleSignOnOptions {
  readonly settings: Settings
  readonly engine: FlowService
  readonly store: FlowStore
  readonly scim: ScimService
  readonly publicUrl: string
  readonly secretKey: readonly string[]
  readonly onError: (error: unknown) => void
  /** Stores audit records. */
  readonly record: AuditTrail['record']
}

/** Handles the paths of single sign-on; null for every other path. */
export type SingleSignOn = (
  request: Request,
  path: string,
  context: HostContext,
) => Promise<Response | null>

/**
 * Single sign-on with OpenID Connect, enabled by setting issuer and client.
 * @throws SettingsError if only one of them is set
 */
export function createSingleSignOn(options: SingleSignOnOptions): SingleSignOn {
  const { settings, engine, scim } = options
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  } = settings
  if (issuer === undefined && clientId === undefined) return async () => null
  if (issuer === undefined || clientId === undefined)
    throw new SettingsError('OIDC_ISSUER and OIDC_CLIENT_ID must be set together')
  const signIn = createOidcSignIn({
    ...options,
    issuer,
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    services: engine.services,
    externalIdClaim: settings.OIDC_EXTERNAL_ID_CLAIM ?? 'sub',
    autoCreate: settings.OIDC_AUTO_CREATE ?? false,
    findManagedUser: (identity) => findManagedUser(scim, identity),
  })
  return async (request, path, context) => {
    if (request.method === 'GET' && path === '/api/v1/oidc/login') return signIn.login(request)
    if (request.method === 'GET' && path === '/api/v1/oidc/callback')
      return signIn.callback(request, recordOf(options.record, context))
    if (request.method !== 'POST' || path !== '/api/v1/logout') return null
    // The provider's session is ended at a separate URL, which is returned to the client.
    const signedOut = await engine.handler(request, context)
    const logout = await signIn.endSessionUrl().catch(() => undefined)
    if (logout !== undefined) signedOut.headers.set('x-oidc-logout', logout)
    return signedOut
  }
}

/** Records a sign-in, and the creation of its user (OP-11). */
function recordOf(record: AuditTrail['record'], context: HostContext) {
  const { requestId = null, clientAddress = null } = context
  return async ({ outcome, userId, isNew }: OidcSignInEnd): Promise<void> => {
    const facts = { via: null, targetType: 'user', targetId: userId, requestId, clientAddress }
    const details = { through: 'single sign-on' }
    if (isNew) await record({ ...facts, action: 'user.created', actorId: userId, details })
    await record({ ...facts, action: 'sign_in', outcome, actorId: userId, details })
  }
}

/** Finds a provisioned user by the directory's id, else by a verified email address. */
async function findManagedUser(
  { users }: ScimService,
  { externalId, email }: OidcIdentity,
): Promise<string | null> {
  const find = async (attribute: string, value: string): Promise<string | null> => {
    const filter = `${attribute} eq ${JSON.stringify(value)}`
    const { Resources } = await users.list('default', { filter, count: 2 })
    return Resources.length === 1 ? (Resources[0]?.id ?? null) : null
  }
  const known = externalId === null ? null : await find('externalId', externalId)
  return known ?? (email === null ? null : find('userName', email))
}
