import type { ScimService } from '@x/scim-core'
import type { ScimConnections } from '@x/scim-core/connections'
import type { Runtime } from '@x/wire'
import type { Attempts } from '../access/attempts.ts'
import type { Caller, Sessions } from '../access/sessions.ts'
import type { Domains } from '../domains/domains.ts'
import type { SyncLog } from '../log/sync-log.ts'
import type { RoleMapping } from '../roles/role-mapping.ts'
import type { PortalStore } from '../store/portal-store.ts'

/** What the host shows of a user. */
export interface PresentedValue {
  readonly label: string
  readonly value: string
}

/** The parts of a portal that its routes use. */
export interface PortalParts {
  readonly connections: ScimConnections
  readonly service: ScimService
  readonly store: PortalStore
  readonly log: SyncLog
  readonly runtime: Runtime
  /** Undefined: they are not offered. */
  readonly domains: Domains | undefined
  readonly roles: RoleMapping | undefined
  readonly sessions: Sessions
  readonly attempts: Attempts
  /** Base URL of SCIM. */
  readonly baseUrl: string
  readonly appName: string
  readonly languages: readonly string[]
  readonly present: (user: Readonly<Record<string, unknown>>) => readonly PresentedValue[]
  /** Requests that wait for news, by session. */
  readonly waiting: Map<string, number>
}

/** A request of a signed-in person. */
export interface ApiCall {
  readonly parts: PortalParts
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly signal: AbortSignal
  readonly body: () => Promise<Readonly<Record<string, unknown>>>
  /** Notes who did what, before the answer is sent. */
  readonly act: (action: string, target: string | null) => Promise<void>
}

/** Status, body (null: none) and headers of an answer. */
export type ApiAnswer = readonly [
  status: number,
  body: object | null,
  headers?: Readonly<Record<string, string>>,
]

export interface ApiRoute {
  readonly method: string
  readonly path: string
  readonly serve: (call: ApiCall) => Promise<ApiAnswer>
  /** Not for those who may only look. Default: true for every method but GET. */
  readonly needsManage?: boolean
}

export const route = (
  method: string,
  path: string,
  serve: ApiRoute['serve'],
  more: Pick<ApiRoute, 'needsManage'> = {},
): ApiRoute => ({ method, path, serve, ...more })
