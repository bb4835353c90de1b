import { createConnectionsHandler } from '@x/scim-core/connections'
import { createWebhooksHandler, type Webhooks } from '@x/scim-core/outbound'
import { createReconciliation } from '@x/scim-core/reconcile'
import type { SqlScimStore } from '@x/store-kysely/scim'
import { authorizeSuperuser, type Answer } from './authorize-superuser.ts'
import { createScimDirectory, DIRECTORY_PATH } from './scim-directory.ts'
import { createScimReconcile, RECONCILE_PATH } from './scim-reconcile.ts'
import { createPortalLinks, PORTAL_PATH } from './scim-portal.ts'
import type { Provisioning } from './scim.ts'
import type { LinkedStores } from '@x/store-kysely/link'

const CONNECTIONS_PATH = '/api/v1/scim/connections'
const WEBHOOKS_PATH = '/api/v1/scim/webhooks'

/** The admin APIs of provisioning, for superusers. */
export interface ScimAdminOptions {
  readonly provisioning: Provisioning
  readonly store: SqlScimStore
  readonly unmanaged: LinkedStores['unmanaged']
  readonly webhooks: Webhooks | null
  /** The flow service, used to authenticate users. */
  readonly flow: Answer
  readonly onError: (error: unknown) => void
}

/** Handles the paths of the admin APIs; null for paths that are not served. */
export function createScimAdmin({
  provisioning,
  store,
  unmanaged,
  webhooks,
  flow,
  onError,
}: ScimAdminOptions): (request: Request, path: string) => Promise<Response | null> {
  const authorize = (request: Request) => authorizeSuperuser(flow, request)
  const { connections } = provisioning
  const ofConnections =
    connections &&
    createConnectionsHandler({ connections, basePath: CONNECTIONS_PATH, authorize, onError })
  const ofWebhooks =
    webhooks && createWebhooksHandler({ webhooks, basePath: WEBHOOKS_PATH, authorize, onError })
  const ofDirectory = createScimDirectory({ ...provisioning, store, authorize, onError })
  const reconciliation = provisioning.remembers
    ? createReconciliation({
        store,
        ...(connections && { connections }),
        ...(provisioning.credentials !== null && { credentials: provisioning.credentials }),
        unmanaged: async (tenant) => (tenant === 'default' ? unmanaged() : []),
      })
    : null
  const ofReconcile = createScimReconcile({
    ...provisioning,
    reconciliation,
    authorize,
    onError,
  })
  const { portal } = provisioning
  const ofPortal = portal && createPortalLinks(portal, authorize, onError)
  return async (request, path) => {
    if (isBelow(path, PORTAL_PATH)) return ofPortal?.(request, path) ?? nothingHere()
    if (isBelow(path, RECONCILE_PATH)) return ofReconcile(request, path)
    if (isBelow(path, DIRECTORY_PATH)) return ofDirectory(request, path)
    if (isBelow(path, CONNECTIONS_PATH))
      return ofConnections === null ? nothingHere() : ofConnections(request)
    return isBelow(path, WEBHOOKS_PATH) && ofWebhooks !== null ? ofWebhooks(request) : null
  }
}

const nothingHere = (): Response =>
  Response.json({ detail: 'Not Found' }, { status: 404, headers: { 'cache-control': 'no-store' } })

const isBelow = (path: string, base: string): boolean =>
  path === base || path.startsWith(`${base}/`)
