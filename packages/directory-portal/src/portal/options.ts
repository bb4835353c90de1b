import type { ScimService } from '@x/scim-core'
import type { ScimConnections } from '@x/scim-core/connections'
import {
  callback,
  implementing,
  integer,
  mountPath,
  optionCheck,
  OptionError,
  options,
  required,
  text,
  texts,
  webAddress,
  type Runtime,
} from '@x/wire'
import type { PortalSession } from '../access/sessions.ts'
import type { PresentedValue } from '../api/call.ts'
import type { Domains } from '../domains/domains.ts'
import type { SyncLog } from '../log/sync-log.ts'
import type { RoleMapping } from '../roles/role-mapping.ts'
import type { PortalStore } from '../store/portal-store.ts'

type Awaitable<T> = T | Promise<T>

/** Options of a portal. */
export interface DirectoryPortalOptions {
  readonly connections: ScimConnections
  readonly service: ScimService
  readonly store: PortalStore
  /** The same that the service is observed by. */
  readonly log: SyncLog
  /** Base URL of SCIM, which directories are given. */
  readonly baseUrl: string
  /** Address of the host as browsers see it. Default: the origin of `baseUrl`. */
  readonly publicUrl?: string
  /** Path of the mount. Default `/directory`. */
  readonly basePath?: string
  /** `name`: of the product, as people know it. */
  readonly app: { readonly name: string }
  /**
   * The host's own sign-in, which wins over links. A Response is sent as it is; null leaves the request to
   * the cookie of a link.
   */
  readonly session?: (request: Request) => Awaitable<PortalSession | null | Response>
  /**
   * What the host shows of a user. Default: user name, display name, primary e-mail address, active,
   * department and groups.
   */
  readonly present?: (user: Readonly<Record<string, unknown>>) => readonly PresentedValue[]
  /** Of `createDomains`. Default: domains are not offered. */
  readonly domains?: Domains
  /** Of `createRoleMapping`, whose hooks the SCIM store calls. Default: roles are not offered. */
  readonly roles?: RoleMapping
  /** Origins besides that of `publicUrl` which `returnUrl` of a link may have. Default: none. */
  readonly returnUrls?: readonly string[]
  /** Origins that may show the page in a frame. Default: none. */
  readonly frameAncestors?: readonly string[]
  /** A session ends after so long without a request. Default 1,800. */
  readonly sessionIdleSeconds?: number
  /** A session ends after so long. Default 28,800. */
  readonly sessionSeconds?: number
  /** Lifetime of a link. Default 300. */
  readonly linkSeconds?: number
  readonly runtime?: Runtime
  /**
   * The address that refused links are counted for, if the context of a request has none. Default: all
   * requests without one are counted together.
   */
  readonly resolveClient?: (request: Request) => string | null
  /** Called with errors that result in a 500 response. */
  readonly onError?: (error: unknown) => void
}

const PAGE = 'directory-portal.md'

const check = optionCheck<DirectoryPortalOptions>(PAGE, {
  connections: required(implementing('ScimConnections', 'create', 'list', 'get', 'rotateToken')),
  service: required(implementing('ScimService', 'handle', 'users.list', 'groups.list')),
  store: required(implementing('PortalStore', 'links.redeem', 'sessions.byDigest', 'log.append')),
  log: required(implementing('SyncLog', 'observe', 'flush')),
  baseUrl: required(webAddress),
  publicUrl: webAddress,
  basePath: mountPath,
  app: required(options({ name: required(text) })),
  session: callback,
  present: callback,
  domains: implementing('Domains', 'list', 'verify', 'recheck'),
  roles: implementing('RoleMapping', 'read', 'replace', 'apply'),
  returnUrls: texts,
  frameAncestors: texts,
  sessionIdleSeconds: integer(1),
  sessionSeconds: integer(1),
  linkSeconds: integer(30),
  runtime: implementing('Runtime', 'now', 'uuid'),
  resolveClient: callback,
  onError: callback,
})

/** The options as they were given, each read once. @throws OptionError */
export function readPortalOptions(given: unknown): DirectoryPortalOptions {
  const read = check('createDirectoryPortal', given)
  for (const name of ['returnUrls', 'frameAncestors'] as const)
    for (const origin of read[name] ?? [])
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        throw new OptionError(
          name,
          `createDirectoryPortal: option "${name}" must be a list of origins such as https://admin.acme.example`,
          PAGE,
        )
  return read
}
