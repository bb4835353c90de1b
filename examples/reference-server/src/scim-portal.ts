import { Resolver } from 'node:dns/promises'
import {
  createDirectoryPortal,
  createDomains,
  createRoleMapping,
  createSyncLog,
  type DirectoryPortal,
  type LinkInfo,
  type PortalRole,
  type RoleMapping,
  type SyncLog,
} from '@x/directory-portal'
import type { ScimService } from '@x/scim-core'
import type { ScimConnections } from '@x/scim-core/connections'
import { createPortalStore, migratePortal } from '@x/store-kysely/portal'
import type { AdminAnswer } from './authorize-superuser.ts'
import { SettingsError } from './settings/read-settings.ts'

export const PORTAL_PATH = '/api/v1/scim/portal'

const HOUR_MS = 3_600_000

/** What the portal needs before the service that it observes exists. */
export interface PortalGround {
  readonly store: ReturnType<typeof createPortalStore>
  readonly log: SyncLog
  /** Its hooks belong to the directory; undefined without `SCIM_PORTAL_ROLES`. */
  readonly roles: RoleMapping | undefined
}

/** A database of the server. */
export type PortalDb = Parameters<typeof migratePortal>[0]

/** Prepares the tables of the portal and its log; undefined while `SCIM_PORTAL` is off. */
export async function openPortalGround(
  db: PortalDb,
  { portal, portalRoles }: { readonly portal: boolean; readonly portalRoles: PortalRoles },
  onError: (error: unknown) => void,
): Promise<PortalGround | undefined> {
  if (!portal) return undefined
  await migratePortal(db)
  const store = createPortalStore(db)
  const roles = portalRoles && createRoleMapping({ store, roles: portalRoles, onError })
  return { store, log: createSyncLog({ store, onError }), roles }
}

export type PortalRoles = readonly PortalRole[] | undefined

const ROLES = 'SCIM_PORTAL_ROLES must be a JSON list of {value, name, description}'

/** The roles of `SCIM_PORTAL_ROLES`. @throws SettingsError */
export function readPortalRoles(text: string | undefined): PortalRoles {
  if (text === undefined || text.trim() === '') return undefined
  const values = new Set<unknown>()
  try {
    const list = JSON.parse(text) as readonly Readonly<Record<string, unknown>>[]
    const roles = list.map(({ value, name = value, description = '' }) => {
      for (const part of [value, name, description])
        if (typeof part !== 'string' || part.length > 200) throw new SettingsError(ROLES)
      values.add(value)
      return { value, name, description } as PortalRole
    })
    if (values.size === roles.length && !values.has('')) return roles
  } catch (error) {
    throw new SettingsError(ROLES, { cause: error })
  }
  throw new SettingsError(ROLES)
}

/** @throws SettingsError if the portal is on without what it needs */
export function checkPortalSettings(settings: {
  readonly portal: boolean
  readonly enabled: boolean
  readonly connections: boolean
  readonly portalDns: string | undefined
}): void {
  if (settings.portalDns !== undefined) resolverOf(settings.portalDns)
  if (!settings.portal) return
  if (!settings.enabled) throw new SettingsError('SCIM_PORTAL needs SCIM_ENABLED=true')
  if (!settings.connections) throw new SettingsError('SCIM_PORTAL needs SCIM_CONNECTIONS=true')
}

/** @throws SettingsError for an invalid address */
function resolverOf(address: string): Resolver {
  const resolver = new Resolver({ timeout: 5_000, tries: 1 })
  try {
    resolver.setServers([address])
  } catch (error) {
    const cause = { cause: error }
    throw new SettingsError('SCIM_PORTAL_DNS must be an address, such as 192.0.2.53:53', cause)
  }
  return resolver
}

export interface ScimPortalOptions extends PortalGround {
  readonly service: ScimService
  readonly connections: ScimConnections
  readonly baseUrl: string
  readonly publicUrl: string
  /** Name of the product; default: the host of the public URL. */
  readonly name: string | undefined
  /** Default: the system's DNS. */
  readonly dns: string | undefined
  readonly onError: (error: unknown) => void
}

/** The portal at `/directory`, maintained once an hour. */
export function createScimPortal(options: ScimPortalOptions): {
  readonly portal: DirectoryPortal
  stop(): Promise<void>
} {
  const { name, publicUrl, dns, onError, roles, ...rest } = options
  const resolver = dns === undefined ? undefined : resolverOf(dns)
  const domains = createDomains({
    store: options.store,
    ...(resolver !== undefined && { resolveTxt: (record) => resolver.resolveTxt(record) }),
  })
  const portal = createDirectoryPortal({
    ...rest,
    publicUrl,
    onError,
    domains,
    ...(roles && { roles }),
    app: { name: name ?? new URL(publicUrl).host },
  })
  const timer = setInterval(() => void portal.maintain().catch(onError), HOUR_MS)
  timer.unref()
  return {
    portal,
    async stop() {
      clearInterval(timer)
      await options.log.close()
    },
  }
}

const MAX_BYTES = 65_536

/** Links to the portal, for superusers. */
export function createPortalLinks(
  { links }: DirectoryPortal,
  authorize: (request: Request) => Promise<object | Response>,
  onError: (error: unknown) => void,
): AdminAnswer {
  const base = `${PORTAL_PATH}/links`
  const answerOf = async (request: Request, path: string): Promise<Response> => {
    const id = path.startsWith(`${base}/`) ? decodeURIComponent(path.slice(base.length + 1)) : ''
    if (path !== base && (id === '' || id.includes('/')))
      return refusal(404, 'not_found', 'There is no such page.')
    const tenant = new URL(request.url).searchParams.get('tenant') ?? 'default'
    if (path !== base) {
      if (request.method !== 'DELETE') return notOffered('DELETE')
      return (await links.revoke(tenant, id))
        ? new Response(null, { status: 204 })
        : refusal(404, 'not_found', 'The link does not exist.')
    }
    if (request.method === 'GET')
      return answer(200, { links: (await links.list(tenant)).map(shown) })
    if (request.method !== 'POST') return notOffered('GET, POST')
    const made = await links.create(await bodyOf(request))
    return answer(201, { ...made, expiresAt: made.expiresAt.toISOString() })
  }
  return async (request, path) => {
    try {
      const caller = await authorize(request)
      return caller instanceof Response ? caller : await answerOf(request, path)
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError || error instanceof URIError)
        return refusal(400, 'invalid', error.message)
      onError(error)
      return refusal(500, 'internal', 'The link cannot be made.')
    }
  }
}

/** The arguments of a link; `links.create` names what is wrong with them. */
async function bodyOf(
  request: Request,
): Promise<Parameters<DirectoryPortal['links']['create']>[0]> {
  const text = await request.text()
  if (text.length > MAX_BYTES) throw new TypeError('The body is too long')
  const body = JSON.parse(text) as Parameters<DirectoryPortal['links']['create']>[0] | null
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new TypeError('The body must be a JSON object')
}

const shown = ({ created, expiresAt, usedAt, revokedAt, ...link }: LinkInfo): object => ({
  ...link,
  created: created.toISOString(),
  expiresAt: expiresAt.toISOString(),
  usedAt: usedAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
})

const answer = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const refusal = (status: number, code: string, message: string): Response =>
  answer(status, { error: { code, message } })

const notOffered = (allow: string): Response =>
  answer(
    405,
    { error: { code: 'method_not_allowed', message: 'The method is not offered.' } },
    { allow },
  )
